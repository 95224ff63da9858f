/* Work, the speed-of-light model, the error of a correct result, the cost of counting. */
#include "catalogue/source.h"

const struct sg_source sg_source_model = {.word = "model"};

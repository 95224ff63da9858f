/* Work and the speed-of-light model, the error of what is right, and what counting cost. */
#include "catalogue/source.h"

const struct sg_source sg_source_model = {.word = "model"};

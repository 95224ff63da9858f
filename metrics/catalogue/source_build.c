/* What is known before anything runs: what a variant says of a case. */
#include "catalogue/source.h"

const struct sg_source sg_source_build = {.word = "build", .of_code = true};

/*
 * Facts known before anything runs: a variant's statements about a case.
 */
#include "catalogue/source.h"

const struct sg_source sg_source_build = {.word = "build", .of_code = true};

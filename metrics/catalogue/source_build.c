/* What a variant states about a case, before anything runs. */
#include "catalogue/source.h"

const struct sg_source sg_source_build = {.word = "build", .of_code = true};

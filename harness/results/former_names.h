/*
 * results/former_names.h - what variants and suites were called before,
 * for files that were written then.
 *
 * Whoever reads a former name gets the one of today; the program prints at its end which were read.
 * Invariant: no name of today is a former one.
 */
#ifndef SG_RESULTS_FORMER_NAMES_H
#define SG_RESULTS_FORMER_NAMES_H

#include "util/text.h"

/* Today's name; the same string where it never had another. */
const char *sg_variant_name_now(const char *family, const char *variant);
const char *sg_suite_name_now(const char *suite);
/* A line for each former name that was read since the process began. */
void sg_former_names_read(struct sg_text *out);
/* What the suite was called before; NULL: it never had another name. */
const char *sg_suite_name_before(const char *suite);

#endif

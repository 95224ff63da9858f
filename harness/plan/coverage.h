/*
 * plan/coverage.h - does a run have what its suite asks for? A run of one family or of some cases
 * (`run --case=C`, a sweep's stage) has the name of its suite, too, and the best of a
 * part is not the best of the whole.
 *
 * Pure: a suite and a sorted table in, an error out. Invariant: what is asked is that rows
 * are there, not that they are good; a variant that failed or that a case does not suit has
 * its row `status` and is covered.
 *
 *     if (sg_coverage_check(&suite, &run.table, "night/run.csv", err) == SG_SUCCESS)
 *         ... every family, case and variant that the suite names has rows in it
 */
#pragma once

#include "plan/suite.h"
#include "results/table.h"

/*
 * SG_BAD_INPUT at the line of the suite where its family begins, naming what `path` lacks: all of
 * the family, a case that it names, or a variant that it names in a case. Where a family names no
 * cases or no variants, those that are there are taken for all.
 */
enum sg_code sg_coverage_check(const struct sg_suite *suite, const struct sg_table *run, const char *path, struct sg_err *err);

/*
 * plan/coverage.h - checks that a run has everything its suite names. A run of one family or of
 * some cases (`run --case=C`, a sweep's stage) has the name of its suite, too. The best of a part
 * is not the best of the whole.
 *
 * Pure: takes a suite and a sorted table, returns an error. Invariant: only the presence of rows
 * is checked, not their values. A variant that failed, or that does not support a case, has its
 * row `status` and is covered.
 *
 *     if (sg_coverage_check(&suite, &run.table, "night/run.csv", err) == SG_SUCCESS)
 *         ... every family, case and variant that the suite names has rows in it
 */
#pragma once

#include "plan/suite.h"
#include "results/table.h"

/*
 * SG_BAD_INPUT at the suite's line where the family begins. The error names what `path` lacks:
 * the whole family, a named case, or a named variant in a case. If a family names no cases or no
 * variants, any that the run has are enough.
 */
enum sg_code sg_coverage_check(const struct sg_suite *suite, const struct sg_table *run,
                               const char *path, struct sg_err *err);

/*
 * baseline/check.h - finds faults in accepted numbers that were read: rows that compare would
 * refuse or could not judge.
 *
 * Pure: numbers and today's date in, one call per fault out. Digest, age and place are the
 * caller's.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"

enum sg_accepted_fault_kind {
    SG_FAULT_MALFORMED, /* no run can be judged by it */
    SG_FAULT_STALE,     /* was valid once: an expired waiver */
    SG_FAULT_UNGATED,   /* compare always ends with `not_accepted` or `cannot_be_gated` */
};

/* `where` is the path, or the path and the row. */
typedef void sg_accepted_fault_fn(void *context, enum sg_accepted_fault_kind kind,
                                  const char *where, const char *why);

/* Checks gating rows: a known metric, a measured time inside of its interval, a tolerance up to
 * the file's tolerance_max. Checks ok items: a gating deciding row (time of the baseline
 * variant, time_ratio of the others). A waived fault counts only if `today` ("2026-11-23") is
 * past the waiver's last day. */
void sg_accepted_check(const struct sg_accepted_file *file, const struct sg_catalogue *catalogue,
                       const char *today, sg_accepted_fault_fn *fault, void *context);

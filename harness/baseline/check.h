/*
 * baseline/check.h - what stands against accepted numbers that could be read: what compare would
 * refuse, or could not judge by.
 *
 * Pure: numbers and today's date in, faults out, one for each thing that is wrong.
 * Digest, age and place are the caller's.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"

enum sg_baseline_fault_kind {
    SG_FAULT_MALFORMED, /* no run can be judged by it */
    SG_FAULT_STALE,     /* it was good once: a waiver that is over */
    SG_FAULT_UNGATED,   /* whatever a run measures, compare ends with `not_accepted` or `cannot_be_gated` */
};

/* `where` is the path, or the path and the row. */
typedef void sg_baseline_fault_fn(void *context, enum sg_baseline_fault_kind kind, const char *where, const char *why);

/*
 * Of rows that gate: known metrics, a time that was measured, inside of its interval, a tolerance
 * of at most the file's tolerance_max. Of items that are right: a deciding row (time of the
 * baseline variant, time_ratio of others) that gates. What a waiver excuses is no fault until
 * `today` ("2026-11-23") is past its last day.
 */
void sg_baseline_check(const struct sg_accepted_file *file, const struct sg_catalogue *catalogue, const char *today,
                       sg_baseline_fault_fn *fault, void *context);

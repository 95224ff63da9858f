/*
 * stats/build_pairs.h - the decision rule of a nightly run (docs/method.md 3). Each row is paired
 * with its accepted build, and all rows are judged together.
 *
 * Pure. A run of a fixed number of processes looks once. An undecided row is measured again up to
 * SG_SEQUENTIAL_PROCESSES_MAX processes and judged on all of them. A nightly run reports
 * `regressed` only at that second look. So `regressed` uses the constants of one look, and `within`
 * those of two. Invariant: a row without a known error is SG_INVALID_VALUE and counts in no
 * correction.
 */
#pragma once

#include "stats/decision.h"
#include "stats/replicates.h"

#define SG_SLOWER_ERROR 0.003 /* chance that a run without slowdowns reports any row as slower */

struct sg_build_pair {
    double mean, se; /* ln; standard error of the mean */
    unsigned n;      /* processes, at least SG_PROCESSES_MIN */
    double tolerance;
    struct sg_usual_spread usual;
    bool is_sequential; /* stopped by the looks of a gate, so the error covers all looks */
};
struct sg_build_pair_verdict {
    /* for this row alone; still SG_REGRESSED if Holm's correction does not confirm it */
    struct sg_decision decision;
    double se, df; /* with the usual spread, if that is known */
    /* one-sided p after Holm: slower by more than the tolerance, and slower at all */
    double beyond, slower;
    double resolution; /* MDE90 as one of `count` rows after `last` processes, ratio */
};
/* `last`: number of processes at the last look. */
void sg_build_pairs_judge(const struct sg_build_pair *pairs, size_t count, unsigned last,
                          struct sg_build_pair_verdict *verdicts);

/*
 * stats/build_pairs.h - the rule of a night (docs/method.md 3): rows that are each paired with
 * their accepted build, all judged at once.
 *
 * Pure. A run of a fixed number of processes looks once. What stays open is measured on, and judged
 * at SG_SEQUENTIAL_PROCESSES_MAX by all of its processes: there alone may a night call it
 * regressed. So `regressed` has the constants of one look, and `within` those of two.
 * Invariant: a row whose error is not known is SG_INVALID_VALUE, and counts in no correction.
 */
#pragma once

#include "stats/decision.h"
#include "stats/replicates.h"

#define SG_SLOWER_ERROR 0.003 /* of calling any of a night's rows slower at all when none is */

struct sg_build_pair {
    double mean, se; /* ln; of the mean */
    unsigned n;      /* processes, at least SG_PROCESSES_MIN */
    double tolerance;
    struct sg_usual_spread usual;
    bool is_sequential; /* the looks of a gate stopped it: its error is over all of them */
};
struct sg_build_pair_verdict {
    struct sg_decision decision; /* of the row by itself: one that Holm's correction leaves is SG_REGRESSED all the same */
    double se, df;               /* with the usual spread, where that is known */
    double beyond, slower;       /* by Holm: one-sided p that it is slower by more than its tolerance, and at all */
    double resolution;           /* MDE90 as one of `count` rows after `last` processes, ratio */
};
/* `last`: processes of the last look. */
void sg_build_pairs_judge(const struct sg_build_pair *pairs, size_t count, unsigned last, struct sg_build_pair_verdict *verdicts);

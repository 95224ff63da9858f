/*
 * stats/decision.h - the verdict rule of docs/method.md 3 on one difference of logarithms, for the
 * paired and for the clock-aware question.
 *
 * Pure. Invariant: a verdict depends on nothing but the difference, its standard error and
 * degrees of freedom, and the tolerance;
 * a standard error that is not known is SG_INVALID_VALUE, never green.
 * Used by compare (accepted numbers, several sources of error) and wherever a pair is
 * decided (one source: the processes).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/verdict.h"

struct sg_bounds {
    double within, interval, regressed; /* c(.10), c(.05), c(.01) of the rule */
};
/* By processes: the table of looks. NaN below 5 processes. */
struct sg_bounds sg_bounds_at_look(size_t processes);

/* Fewer processes may all miss a slow state that a candidate has in some of
 * its processes (docs/method.md 3). */
#define SG_WITHIN_PROCESSES 10
/* Fewer may also all be in one state, and then spread by next to nothing. So a change counts as one
 * only where it is beyond the tolerance by what an sd of SG_STATE_SD asks for: so much, ln; 0 from
 * SG_WITHIN_PROCESSES on. */
#define SG_STATE_SD 0.0015 /* ln */
double sg_state_reach(size_t processes);
/* The same for a pair that gates: `within` is INFINITY, so never
 * said, below SG_WITHIN_PROCESSES. */
struct sg_bounds sg_bounds_of_gate(size_t processes);

/* By degrees of freedom (Welch-Satterthwaite): t quantiles at the level of one look. A cache:
 * making one is slow, asking is not. */
#define SG_DF_MAX 200
struct sg_bounds_by_df {
    struct sg_bounds at[SG_DF_MAX + 1]; /* all zero: not yet computed */
};
struct sg_bounds sg_bounds_at_df(struct sg_bounds_by_df *cache, double df);

/* Independent sources of error of one difference. */
#define SG_SOURCES_MAX 8
struct sg_errors {
    const char *source[SG_SOURCES_MAX]; /* in words */
    double variance[SG_SOURCES_MAX];    /* ln^2 */
    double df[SG_SOURCES_MAX];          /* INFINITY: taken as known */
    size_t count;
};
void sg_errors_add(struct sg_errors *errors, const char *source, double sd, double df);
const char *sg_errors_largest(const struct sg_errors *errors); /* its source; at least one was added */
double sg_errors_se(const struct sg_errors *errors);
double sg_errors_df(const struct sg_errors *errors); /* Welch-Satterthwaite; INFINITY when all are known */

struct sg_difference {
    double mean; /* ln ratio */
    double se;   /* of it */
    struct sg_bounds bounds;
    double tolerance; /* ratio */
};
struct sg_decision {
    enum sg_verdict verdict;  /* within, improved, regressed, inconclusive or invalid */
    double change, low, high; /* ratio - 1; 95 % interval */
};
struct sg_decision sg_decide(const struct sg_difference *difference);

#define SG_SEQUENTIAL_ERROR 0.01 /* of calling any of the pairs that are judged together slower when none is (docs/method.md 3) */
/*
 * Smallest change found in 90 of 100 runs, ratio: of a pair after 20 processes that is one of
 * `rows` judged together, by Holm's correction of the smallest p (0 counts as 1). sd: between so
 * many `processes` of the pair, ln; of few of them it is itself known badly, and the effect holds
 * that. NaN below 3. And of any difference as it stands, by itself.
 */
double sg_mde90_pair(double tolerance, double sd, size_t processes, size_t rows);
/* The same where the last look decides by another bound. */
struct sg_effect {
    double tolerance, se, df; /* ratio; of a mean at the last look, ln; that `se` is known by */
    double bound, last_df;    /* errors beyond the tolerance that make a row slower; that the last look's error is known by */
};
double sg_mde90_of(const struct sg_effect *effect);
double sg_mde90(const struct sg_difference *difference);
/* The note on a regressed row whose change is below its detectable effect: fewer
 * than 9 of 10 such changes are found. */
#define SG_READS_HIGH "; this is below the MDE, and of such changes only those that happen to read high are found: the true one may be less"

/*
 * The tolerance a row can be judged by: its own, or as much as makes no change come out `within`
 * in all but one of 370 rows. Ratio.
 */
struct sg_tolerance_need {
    double tolerance; /* as wanted, ratio */
    double se;        /* of a later difference when nothing has changed, ln */
    double within;    /* its bound (struct sg_bounds) */
};
double sg_resolvable_tolerance(const struct sg_tolerance_need *need);

/*
 * stats/decision.h - the verdict rule of docs/method.md 3 for one difference of logarithms, paired
 * or corrected for clocks.
 *
 * Pure. Invariant: a verdict depends only on the difference, its standard error and degrees of
 * freedom, and the tolerance. An unknown standard error gives SG_INVALID_VALUE, never a green
 * verdict. compare applies the rule to accepted numbers (several sources of error), gates to pairs
 * (one source: the processes).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/verdict.h"

struct sg_bounds {
    double within, interval, regressed; /* c(.10), c(.05), c(.01) of the rule */
};
/* Bounds by number of processes, from the table of looks. NaN below 5 processes. */
struct sg_bounds sg_bounds_at_look(size_t processes);

/* Fewer processes may all miss a slow state that a candidate has in some of its processes
 * (docs/method.md 3). */
#define SG_WITHIN_PROCESSES 10
/* Fewer processes may also all be in the same state and spread by almost nothing. So a change
 * must exceed the tolerance by this margin: the bound for an sd of SG_STATE_SD, in ln. The
 * margin is 0 from SG_WITHIN_PROCESSES on. */
#define SG_STATE_SD 0.0015 /* ln */
double sg_state_reach(size_t processes);
/* Bounds of a pair that gates: `within` is INFINITY below SG_WITHIN_PROCESSES, so `within` is
 * never reported there. */
struct sg_bounds sg_bounds_of_gate(size_t processes);

/* Bounds by degrees of freedom (Welch-Satterthwaite): t quantiles at the level of one look.
 * Cached, because a quantile is slow to compute. */
#define SG_DF_MAX 200
struct sg_bounds_by_df {
    struct sg_bounds at[SG_DF_MAX + 1]; /* all zero: not yet computed */
};
struct sg_bounds sg_bounds_at_df(struct sg_bounds_by_df *cache, double df);
/* The same error rates for data that are looked at once, such as files of other tools. */
struct sg_bounds sg_bounds_of_one_look(double df);

/* Independent sources of error of one difference. */
#define SG_SOURCES_MAX 8
struct sg_errors {
    const char *source[SG_SOURCES_MAX]; /* name for messages */
    double variance[SG_SOURCES_MAX];    /* ln^2 */
    double df[SG_SOURCES_MAX];          /* INFINITY: taken as known */
    size_t count;
};
void sg_errors_add(struct sg_errors *errors, const char *source, double sd, double df);
/* name of the largest source; needs at least one */
const char *sg_errors_largest(const struct sg_errors *errors);
double sg_errors_se(const struct sg_errors *errors);
/* Welch-Satterthwaite; INFINITY when all are known */
double sg_errors_df(const struct sg_errors *errors);

struct sg_difference {
    double mean; /* ln ratio */
    double se;   /* standard error of the mean */
    struct sg_bounds bounds;
    double tolerance; /* ratio */
};
struct sg_decision {
    enum sg_verdict verdict;  /* within, improved, regressed, inconclusive or invalid */
    double change, low, high; /* ratio - 1; 95 % interval */
};
struct sg_decision sg_decide(const struct sg_difference *difference);

#define SG_SEQUENTIAL_ERROR 0.01 /* chance that any of the pairs is called slower when none is */
/* Smallest change found in 90 of 100 runs, as a ratio, for one of `rows` pairs judged together
 * after 20 processes. Uses Holm's correction of the smallest p; 0 rows count as 1. `sd` is
 * between `processes` processes of the pair, ln; the result includes the uncertainty of an sd
 * from few of them. Returns NaN below 3 processes. */
double sg_mde90_pair(double tolerance, double sd, size_t processes, size_t rows);
/* Input of sg_mde90: MDE90 with another bound at the last look, or of a single difference with its
 * present error. */
struct sg_effect {
    /* ratio; SE of a mean at the last look, ln; degrees of freedom of `se` */
    double tolerance, se, df;
    /* standard errors beyond the tolerance that make a row slower; degrees of freedom of the
     * last look's error */
    double bound, last_df;
};
double sg_mde90_of(const struct sg_effect *effect);
double sg_mde90(const struct sg_difference *difference);
/* Note for a regressed row whose change is below its MDE: fewer than 9 of 10 such changes are
 * found. */
#define SG_READS_HIGH                                                                              \
    "; this is below the MDE, and of such changes only those that happen to read high are found: " \
    "the true one may be less"

/* The smallest tolerance a row can be judged by, ratio: the larger of its tolerance and one that
 * all but 1 of 370 unchanged rows stay `within`. */
struct sg_tolerance_need {
    double tolerance; /* as wanted, ratio */
    double se;        /* SE of a later difference without a change, ln */
    double within;    /* bound of `within` (struct sg_bounds) */
};
double sg_resolvable_tolerance(const struct sg_tolerance_need *need);

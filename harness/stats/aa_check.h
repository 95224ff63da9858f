/*
 * stats/aa_check.h - what a baseline paired with itself shows of a run (docs/method.md 4):
 * how good its standard errors are, how many false alarms it would have given, and whether both
 * sides of a pair ran at one clock.
 *
 * Pure: numbers in, numbers and a sentence out. Invariant: lambda is never below 1, so a
 * calibration widens intervals and never narrows them, and is over 1 only where chance does not
 * explain that; a pair of a kernel with itself that comes out as a change makes the run invalid
 * where so many pairs have no such one by chance, whatever the other pairs say.
 */
#pragma once

#include "stats/abba.h"
#include "stats/verdict.h"

#define SG_CALIBRATION_PAIRS 20    /* with fewer the errors are not known well enough: lambda is 1 then */
#define SG_LAMBDA_MAX        2.0   /* beyond it the errors are not understood, and no factor repairs that */
#define SG_CLOCK_APART       0.001 /* ln: sides of a pair whose clocks differ by more draw another power */

/* An A/A pair: its estimate before any lambda, and its verdict. */
struct sg_aa {
    const char *name;            /* borrowed, for the reason: "null/tiny/ok" */
    struct sg_estimate estimate; /* mean, sd and n are looked at */
    enum sg_verdict verdict;
    double p; /* of a change as large as the verdict has it, of this pair by itself (sg_sequential_p) */
};

struct sg_aa_check {
    size_t pairs;   /* with a spread to be judged by: 2 processes or more */
    double spread;  /* how many times their errors the means spread: scale of t, most likely; NaN without pairs */
    double lambda;  /* >= 1 */
    size_t uneven;  /* regressed or improved, by Holm's correction over all pairs */
    bool valid;     /* may the run be believed? */
    char text[320]; /* one sentence for people: what was found, or why the run must not be believed */
};

/* `lambda`: what errors were multiplied by so far, >= 1; it never shrinks. */
struct sg_aa_check sg_check_aa(const struct sg_aa *pairs, size_t count, double lambda);

/* Clocks of the batches of one side of a pair, Hz; 0 is not known and left out. */
struct sg_clocks {
    double *hz; /* overwritten */
    size_t count;
};
/* Trimmed mean of the ln clock of the candidate - of the baseline, as blocks take it of times;
 * NaN when one of them is not known. */
double sg_clock_gap(struct sg_clocks baseline, struct sg_clocks candidate);

/*
 * Largest rate of false verdicts that `uneven` of `pairs` do not contradict at 95 %,
 * one-sided, exact (Clopper and Pearson): the rate at which so few would be seen in 5
 * of 100 tallies. 1 without pairs.
 */
double sg_false_rate_bound(size_t uneven, size_t pairs);

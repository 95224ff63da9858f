/*
 * stats/aa_check.h - checks a run by its A/A pairs, each a baseline paired with itself
 * (docs/method.md 4). The check shows how good the standard errors are, and how many false alarms
 * the run would have given. It also shows whether both sides of a pair ran at the same clock.
 *
 * Pure: numbers in, numbers and a sentence out. Invariants: lambda is never below 1, so a
 * calibration widens intervals and never narrows them. Lambda is over 1 only where chance does not
 * explain the spread. The run is invalid if more A/A pairs come out as a change than chance
 * explains, whatever the other pairs say.
 */
#pragma once

#include "stats/abba.h"
#include "stats/verdict.h"

/* with fewer pairs lambda stays 1: the errors cannot be calibrated */
#define SG_CALIBRATION_PAIRS 20
/* beyond it the errors are not understood, and no factor repairs that */
#define SG_LAMBDA_MAX 2.0
/* ln; sides of a pair whose clocks differ by more draw different power */
#define SG_CLOCK_APART 0.001

/* An A/A pair: its estimate before any lambda, and its verdict. */
struct sg_aa {
    const char *name;            /* borrowed, for the text: "null/tiny/ok" */
    struct sg_estimate estimate; /* mean, sd and n are used */
    enum sg_verdict verdict;
    /* p of a change as large as the verdict claims, for this pair alone (sg_sequential_p) */
    double p;
};

struct sg_aa_check {
    size_t pairs; /* pairs with at least 2 processes, so with a spread */
    /* spread of the means over their standard errors: maximum-likelihood scale of t; NaN without
     * pairs */
    double spread;
    double lambda;  /* >= 1 */
    size_t uneven;  /* pairs regressed or improved after Holm's correction over all pairs */
    bool valid;     /* true if the run can be trusted */
    char text[320]; /* one sentence for people: the finding, or why the run is invalid */
};

/* `lambda`: the factor applied to the errors so far, >= 1. The returned lambda is never smaller. */
struct sg_aa_check sg_check_aa(const struct sg_aa *pairs, size_t count, double lambda);

/* Clocks of the batches of one side of a pair, Hz. 0 means not known; those are left out. */
struct sg_clocks {
    double *hz; /* overwritten */
    size_t count;
};
/* Difference of the trimmed mean ln clocks, candidate minus baseline, trimmed as blocks are. NaN
 * if one side has no known clock. */
double sg_clock_gap(struct sg_clocks baseline, struct sg_clocks candidate);

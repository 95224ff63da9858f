/*
 * stats/replicates.h - whether the process values of a pair, in the order of measurement, are
 * independent, as the decision assumes (docs/method.md 3).
 *
 * Pure. Invariant: nothing here changes a verdict.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/text.h"

/* Adds "processes -0.11 % to +0.2 %, correlation of neighbours ..., trend ...: not independent,
 * ..." if the values, ln, in order of measurement, correlate or trend beyond chance (about 4 of
 * 1,000 pairs by chance). */
void sg_replicates_describe(const double *y, size_t n, struct sg_text *out);
/* Pools all pairs of a run. One pair of ten processes does not show a correlation of 0.3; 22
 * pairs show it in half of all runs, and 60 pairs in nine of ten. All zero: no pairs yet. */
struct sg_independence {
    double sum, variance; /* excess of each pair's correlation over independent values */
    size_t pairs;
};
void sg_independence_add(struct sg_independence *all, const double *y, size_t n);
/* Adds "correlation of neighbours +0.31 +- 0.06 over 22 pairs: ..." if significant, otherwise
 * nothing. */
void sg_independence_describe(const struct sg_independence *all, struct sg_text *out);

/* Compares a row's sd between processes in this run with the median sd of earlier nightly runs,
 * as an unbiased variance. A few deviant runs do not change the median. A constant spread is
 * typical of rows (docs/method.md 3). */
#define SG_SPREAD_NIGHTS 10     /* with fewer runs nothing is judged */
#define SG_SPREAD_TIMES  3.0    /* a smaller factor is not reported */
#define SG_SPREAD_LEVEL  0.01   /* chance of any false finding in a run, over all rows (Holm) */
#define SG_SPREAD_FLOOR  0.0005 /* smallest usual sd, ln: a quieter row hides nothing */
struct sg_spread_night {
    float sd; /* ln */
    float processes;
    /* Of this run only, ln; NaN: not known. `inner_sd` leaves out the slowest and the fastest
     * process, because one deviant process is no slow state. `fast_sd` is that of the fast half,
     * which noise widens and a slow state does not. */
    float inner_sd, fast_sd;
    float outer; /* ln: part of the mean that the two left-out processes add; at least 0 */
};
#define SG_SPREAD_UNKNOWN \
    ((struct sg_spread_night){.sd = NAN, .processes = NAN, .inner_sd = NAN, .fast_sd = NAN})
/* Sorts the row's n >= 2 values. `same`: value of an unchanged row; INFINITY: not known. */
struct sg_spread_night sg_spread_night_of(double *y, size_t n, double same);
/* A row's usual sd between processes, and how well it is known. */
#define SG_NOISY_ROW 0.05
struct sg_usual_spread {
    double sd; /* ln; scaled by the common factor of this run's rows */
    double df; /* 0: no usual sd holds for this run */
    /* that a row spreads this much; below SG_NOISY_ROW, `sd` holds only if nothing changed in
     * the row */
    double chance;
    double chance_inner; /* the same without the slowest and the fastest process */
    double outer;        /* of this run, as in struct sg_spread_night */
};
struct sg_spread_check {
    struct sg_usual_spread usual; /* from earlier nightly runs */
    double df;                    /* of this run */
    /* sd of this run over the usual sd; NaN: fewer than SG_SPREAD_NIGHTS */
    double times, inner_times, fast_times;
    /* this run spreads more than usual and more than its other rows */
    bool is_wide;
};
/* Reorders `past`. */
struct sg_spread_check sg_spread_check_of(struct sg_spread_night tonight,
                                          struct sg_spread_night *past, size_t count);
/* Judges all rows of a run together: which are wide (F test with Holm's correction), and which
 * are noisier. If all rows spread more, the usual spread holds for none; if the fast half of a row
 * does, not for this row. */
void sg_spread_checks_settle(struct sg_spread_check *checks, size_t count);

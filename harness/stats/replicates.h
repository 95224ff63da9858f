/*
 * stats/replicates.h - what the values of a pair's processes look like in the order in
 * which they were measured: their range, and whether they are independent, as the decision
 * takes them to be (docs/method.md 3).
 *
 * Pure. Invariant: nothing here changes a verdict.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/text.h"

struct sg_replicates {
    size_t count;
    double low, high;      /* smallest and largest value, ln */
    double correlation;    /* of neighbours, with the trend taken off; NaN for fewer than 5 */
    double correlation_se; /* if there is none: 1 / sqrt(n) */
    double trend;          /* from the first process to the last, ln, by a straight line; NaN for fewer than 5 */
    double trend_se;       /* ln */
};
/* n >= 1 values, ln, in order. */
struct sg_replicates sg_replicates_of(const double *y, size_t n);
/* Do they follow one another, or lean to one side, by more than
 * chance does in about 4 of 1,000 pairs? */
bool sg_replicates_are_dependent(const struct sg_replicates *replicates);
/* Of all pairs of a run together: a pair of ten processes does not show a correlation of 0.3, 22
 * pairs do in half of all runs, and 60 in nine of ten. All zero: none yet. */
struct sg_independence {
    double sum, variance; /* of each pair's correlation beyond what independent values have */
    size_t pairs;
};
void sg_independence_add(struct sg_independence *all, const double *y, size_t n);
/* Where it is more than chance: "correlation of neighbours +0.31 +- 0.06 over 22 pairs: ..."; else
 * nothing. */
void sg_independence_describe(const struct sg_independence *all, struct sg_text *out);
/* "processes -0.11 % to +0.2 %, correlation of neighbours +0.1 +- 0.3, trend +0.02 % +- 0.05 %" */
void sg_replicates_describe(const struct sg_replicates *replicates, struct sg_text *out);

/*
 * Tonight's sd between processes of a row against those of nights before: their median, as an
 * unbiased variance, so that a few nights of another spread change nothing. An even spread is
 * what rows have (docs/method.md 3).
 */
#define SG_SPREAD_NIGHTS 10     /* fewer judge nothing */
#define SG_SPREAD_TIMES  3.0    /* what is less is no finding */
#define SG_SPREAD_LEVEL  0.01   /* of any false one in a night, over all rows (Holm) */
#define SG_SPREAD_FLOOR  0.0005 /* of the usual sd, ln: what is quieter hides nothing */
struct sg_spread_night {
    double sd; /* ln */
    double processes;
};
/* A row's sd between processes, and by how much it is known. */
#define SG_NOISY_ROW 0.05
struct sg_usual_spread {
    double sd;     /* ln; as all rows of tonight are */
    double df;     /* 0: nothing is known that holds tonight */
    double chance; /* that a row spreads as tonight; below SG_NOISY_ROW `sd` holds only if nothing changed in the row */
};
struct sg_spread_check {
    struct sg_usual_spread usual; /* of the nights before */
    double df;                    /* of tonight */
    double times;                 /* tonight's sd over the usual one; NaN: fewer than SG_SPREAD_NIGHTS */
    bool is_wide;                 /* tonight more than the usual one, and than all rows are more */
};
/* Reorders `past`. */
struct sg_spread_check sg_spread_check_of(struct sg_spread_night tonight, struct sg_spread_night *past, size_t count);
/*
 * All rows of a night at once: which are wide, by an F test with Holm's correction, and which are
 * noisier. The usual spread holds for no row of a night whose rows all spread more.
 */
void sg_spread_checks_settle(struct sg_spread_check *checks, size_t count);

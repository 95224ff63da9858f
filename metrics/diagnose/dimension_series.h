/*
 * diagnose/dimension_series.h - the cases of a run that differ in only one dimension, and what a
 * variant takes more than its baseline in each of them.
 *
 * Pure. Dimensions are read from the row `shape` of a run ("groups=2 m=512 n=4096 k=1536"), the
 * number format from its rows `work_flop_*`. The extra time is the baseline's time, times what the
 * paired ratio is over 1: the ratio resolves far better than two absolute times. Its error is the
 * ratio's, and so much of the time's as is multiplied. What a case has beside its dimensions (a
 * list of sizes) is not compared, unless two cases of a series have the same x: then it is none.
 * Invariant: in a series all x differ and rise, every extra time comes of a pair of 5 processes or
 * more, and all pairs are with one variant.
 *
 *     struct sg_dimension_series series[SG_MAX_DIMS];
 *     const size_t count = sg_dimension_series_find(&(struct sg_dimension_series_start){run,
 *     family, case_, variant}, series);
 *     for each of them: sg_extra_time_fit_of(series[i].extra, series[i].count)
 */
#pragma once

#include "diagnose/extra_time_fit.h"
#include "results/table.h"
#include "solgate_kernel.h"

#define SG_SERIES_MAX    32 /* values of a dimension; further cases are left out */
#define SG_DIMENSION_MAX 32 /* bytes of a name */

struct sg_dimension_series {
    char dimension[SG_DIMENSION_MAX]; /* "k" */
    const char *partner;              /* the variant that all are paired with; borrowed from the table */
    struct sg_extra extra[SG_SERIES_MAX];
    size_t count; /* >= SG_SCALING_LEAST */
    size_t own;   /* which of `extra` is the item's own */
};

/* The item that a series is to be of. */
struct sg_dimension_series_start {
    const struct sg_table *run; /* sorted */
    const char *family, *case_, *variant;
};

/* One for each dimension that has enough values, in the order of the shape; the item's own case is
 * in each. Returns how many. */
size_t sg_dimension_series_find(const struct sg_dimension_series_start *start, struct sg_dimension_series found[SG_MAX_DIMS]);

/* The variant that (family, case, variant) is paired with in this run;
 * NULL: none. Borrowed from the table. */
const char *sg_paired_with(const struct sg_table *run, const char *family, const char *case_, const char *variant);

/*
 * diagnose/dimension_series.h - finds the cases of a run that differ in one dimension only, and a
 * variant's extra time over its baseline in each case.
 *
 * Pure. Dimensions come from the row `shape` of a run ("groups=2 m=512 n=4096 k=1536"), the number
 * format from its rows `work_flop_*`. The extra time is the baseline's time multiplied by (paired
 * ratio - 1): the ratio is far more precise than two absolute times. Its error combines the ratio's
 * error and the error of the time in that product. Details of a case besides its dimensions (a list
 * of sizes) are not compared, but two cases with the same x make the series invalid. Invariant: in
 * a series x increases strictly, every extra time comes from a pair of at least 5 processes, and
 * all pairs have the same partner.
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

#define SG_SERIES_MAX    32 /* values of a dimension; more cases are left out */
#define SG_DIMENSION_MAX 32 /* bytes of a name */

struct sg_dimension_series {
    char dimension[SG_DIMENSION_MAX]; /* "k" */
    const char *partner;              /* the common partner of all pairs; borrowed from the table */
    struct sg_extra extra[SG_SERIES_MAX];
    size_t count; /* >= SG_SCALING_LEAST */
    size_t own;   /* index of the item in `extra` */
};

struct sg_dimension_series_start {
    const struct sg_table *run; /* sorted */
    const char *family, *case_, *variant;
};

/* Finds a series for each dimension with enough values, in the order of the shape; each includes
 * the item's case. Returns their number. */
size_t sg_dimension_series_find(const struct sg_dimension_series_start *start, struct sg_dimension_series found[SG_MAX_DIMS]);

/* The partner of (family, case, variant) in this run; NULL: none. Borrowed from the table. */
const char *sg_paired_with(const struct sg_table *run, const char *family, const char *case_, const char *variant);

/*
 * stats/night_spread.h - the spread of nightly runs around their level, for the search for change
 * points (stats/change_point.h). Pure.
 */
#pragma once

#include "stats/change_point.h"

/* Spread of the runs, as known at one point of the series. */
struct sg_night_spread {
    double between, error; /* variances: between runs, and the usual one of their errors */
    /* variance of the units' offsets in a level: as found, and the most that it may be */
    double units, units_most;
    double df; /* degrees of freedom of `between` */
};

struct sg_night_spreads {
    struct sg_night_spread of[SG_SCAN_KINDS];
    double r, slow; /* as in struct sg_night_value */
};

struct sg_scan; /* stats/change_point_internal.h */
/* Spread of the runs [from, to); to > from. Uses s->scratch. */
struct sg_night_spreads sg_night_spread(const struct sg_scan *s, size_t from, size_t to);

/* Correlation from run to run of noise that wanders slowly: it lasts for some 20 runs. */
#define SG_SLOW_R 0.95
/* Variance of the mean of n runs, relative to independent runs. The share `slow` of their variance
 * has the correlation SG_SLOW_R from run to run, the rest r. */
double sg_night_inflation(double r, double slow, size_t n);

/* Variance of one run: the usual one, unless the run's own error is clearly larger. An error
 * estimated from a few processes scatters. */
double sg_night_variance(const struct sg_night_value *night,
                         const struct sg_night_spreads *spreads);

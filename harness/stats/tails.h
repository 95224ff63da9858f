/*
 * stats/tails.h - percentiles of single launches, and how many are spikes. Pure.
 *
 * A percentile is a value of the sample: the one at rank percent / 100 * n, rounded up. n values
 * have a percentile only if at least one value lies above it: the 99th needs 100 values, the 90th
 * needs 10. The 95 % interval of a percentile is that of its rank, and exists only if its upper
 * rank is in the sample. Spikes are values over twice the median, in percent of the values, with
 * Wilson's interval (1927).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sg_tail {
    double value, low, high; /* low and high NaN: no interval */
    size_t n;
};

/* Minimum number of values for this percentile, 1 to 99. */
size_t sg_percentile_least(unsigned percent);
/* False: too few values. */
bool sg_percentile(const double *sorted, size_t n, unsigned percent, struct sg_tail *tail);
/* False: fewer than 10 values. */
bool sg_spikes(const double *sorted, size_t n, struct sg_tail *tail);

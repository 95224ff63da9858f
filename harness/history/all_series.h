/*
 * history/all_series.h - statistics over all series of a history: bad nightly runs, and the
 * correlation of consecutive runs (docs/method.md 6).
 *
 * Pure. Invariant: a result for one nightly run depends on no later run.
 */
#pragma once

#include "history/series.h"

/*
 * Finds bad nightly runs: many series are off at once, in both directions. The machine causes that,
 * not a commit. A bad run ignores single values that are off, but still finds steps. is_bad: one
 * per run.
 */
#define SG_BAD_SHARE 0.02 /* share of all series that must be slower; the same share faster */
#define SG_BAD_LEAST 3    /* at least this many slower and as many faster */
void sg_bad_nights(const struct sg_history_series *series, size_t count, size_t nights,
                   bool *is_bad);

/*
 * Correlation r of consecutive values of a level, as known at each nightly run, from the last
 * SG_SCAN_NIGHTS; 0 to SG_TURNS_R_MOST. Of three independent values, the middle one is the highest
 * or lowest with probability 2/3, whatever the noise, outliers and steps. With correlation r the
 * probability is 1/2 + asin((1 - r) / 2) / pi (Kendall and Stuart, turning points; normal values,
 * first order).
 */
#define SG_TURNS_USUAL  200 /* prior: independent triples added to the observed ones */
#define SG_TURNS_R_MOST 0.9
/*
 * Neighbours do not show noise that wanders: it is a small part of their difference. The means of
 * SG_WEEK consecutive values show it in the same way. `slow`: share of the variance that has the
 * correlation SG_SLOW_R from run to run, as known at each nightly run; 0 if chance explains it.
 * Means that span a step of most series do not count: it is sharp, and has the same sign in them.
 */
#define SG_WEEK      7
#define SG_SLOW_MOST 0.9
void sg_nights_memory(const struct sg_history_series *series, size_t count, size_t nights,
                      double *r, double *slow);

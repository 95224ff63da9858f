/*
 * history/all_series.h - what only all series of a history show together: bad nights, and how much
 * nights correlate (docs/method.md 6).
 *
 * Pure. Invariant: what is found up to a night depends on no night after it.
 */
#pragma once

#include "history/series.h"

/*
 * Nights in which many series are off by themselves at once, and in both directions: what a
 * machine does, not a commit. A single night that is off counts there for nothing; steps are found
 * all the same. is_bad: one a night.
 */
#define SG_BAD_SHARE 0.02 /* of all series, slower, and as many faster */
#define SG_BAD_LEAST 3    /* and at least so many of each */
void sg_bad_nights(const struct sg_history_series *series, size_t count, size_t nights, bool *is_bad);

/*
 * r of neighbouring nights of a level as known on each night, by the last SG_SCAN_NIGHTS; from 0 to
 * SG_TURNS_R_MOST. Of three independent nights the middle one is the highest or the lowest in 2 of
 * 3 cases, whatever their noise, outliers and steps; of nights of correlation r in 1/2 + asin((1 -
 * r) / 2) / pi (Kendall and Stuart, turning points; normal values, first order).
 */
#define SG_TURNS_USUAL  200 /* triples of independent nights that count beside those there are */
#define SG_TURNS_R_MOST 0.9
void sg_nights_correlation(const struct sg_history_series *series, size_t count, size_t nights, double *r);

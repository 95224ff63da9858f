/*
 * stats/all_series.h - what only all series of a history show together: bad nights, and how much
 * nights correlate (docs/method.md 6).
 *
 * Pure. Invariant: what is found up to a night depends on no night after it.
 */
#ifndef SG_STATS_ALL_SERIES_H
#define SG_STATS_ALL_SERIES_H

#include "stats/change_point.h"

/*
 * Nights in which many series are off by themselves at once, and in both directions: what a
 * machine does, not a commit. A single night that is off counts there for nothing; steps are found
 * all the same. is_bad: one a night.
 */
#define SG_BAD_SHARE 0.02 /* of all series, slower, and as many faster */
#define SG_BAD_LEAST 3    /* and at least so many of each */
void sg_bad_nights(const struct sg_series_steps *series, size_t count, size_t nights, bool *is_bad);

/*
 * Triples of nights that follow one another in a level, by their last night, and those whose middle
 * is higher or lower than both neighbours. Independent nights turn in 2 of 3, whatever their noise,
 * outliers and steps; nights of correlation r in 1/2 + asin((1 - r) / 2) / pi (Kendall and Stuart,
 * turning points; normal values, first order).
 */
struct sg_turns {
    double turns, triples;
};
#define SG_TURNS_USUAL  200 /* triples of independent nights that count beside those there are */
#define SG_TURNS_R_MOST 0.9
/* Adds those of a series to `turns`, one a night. */
void sg_count_turns(const struct sg_night_value *nights, size_t count, struct sg_turns *turns);
/* r of each night, by the last SG_SCAN_NIGHTS up to it; from 0 to SG_TURNS_R_MOST. */
void sg_nights_correlation(const struct sg_turns *turns, size_t count, double *r);

#endif

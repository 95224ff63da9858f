/*
 * stats/bad_nights.h - nights on which many series are off at once (docs/method.md 6).
 */
#ifndef SG_STATS_BAD_NIGHTS_H
#define SG_STATS_BAD_NIGHTS_H

#include "stats/change_point.h"

/*
 * Nights in which many series are off by themselves at once, and in both directions: what a
 * machine does, not a commit. A single night that is off counts there for nothing; steps are found
 * all the same. is_bad: one a night.
 */
#define SG_BAD_SHARE 0.02 /* of all series, slower, and as many faster */
#define SG_BAD_LEAST 3    /* and at least so many of each */
void sg_bad_nights(const struct sg_series_steps *series, size_t count, size_t nights, bool *is_bad);

#endif

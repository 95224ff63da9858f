/*
 * stats/run_limits.h - how large a run may be. Suites, options and the readers of a run's files are held to these.
 */
#ifndef SG_STATS_RUN_LIMITS_H
#define SG_STATS_RUN_LIMITS_H

#define SG_PROCESSES_MAX 64  /* of a run's time pass; one bit each in a word of 64 */
#define SG_BLOCKS_MAX    512 /* of a process, of one pair */
#define SG_LAUNCHES_MAX  64  /* timed ones of a visit */
#define SG_REPEATS_MAX   16  /* counts of each item */

#endif

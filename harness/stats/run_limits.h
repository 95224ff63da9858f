/*
 * stats/run_limits.h - how large a run may be, and the defaults. Suites, options
 * and the readers of a run's files are held to these.
 */
#pragma once

#include "util/text.h" /* SG_TOLERANCE_MAX */

#define SG_PROCESSES_MIN  5   /* of the first look: an interval of fewer is not believed */
#define SG_PROCESSES_MAX  64  /* of a run's time pass; one bit each in a word of 64 */
#define SG_BLOCKS_MAX     512 /* of a process, of one pair */
#define SG_LAUNCHES_MAX   64  /* timed ones of a batch */
#define SG_REPEATS_MAX    16  /* counts of each item */
#define SG_DEADLINE_MAX_S 3600
#define SG_JOBS_MAX       16 /* verifications at a time */
#define SG_GPU_MAX        63 /* number of a GPU */

#define SG_TOLERANCE_DEFAULT  0.005 /* ratio */
#define SG_PROCESSES_DEFAULT  SG_PROCESSES_MIN
#define SG_BLOCKS_DEFAULT     8
#define SG_LAUNCHES_DEFAULT   4
#define SG_PILOT_MS_DEFAULT   2000 /* what rounds may take because of a pilot; of a run, which looks once */
#define SG_PILOT_MS_GATE      700  /* with less, more processes are needed, and the gate takes longer in all */
#define SG_REPEATS_DEFAULT    1
#define SG_DEADLINE_DEFAULT_S 20 /* of one item of one pass */
#define SG_JOBS_DEFAULT       4
#define SG_SEED_DEFAULT       1
#define SG_MAX_AGE_DEFAULT    "90d" /* of accepted numbers */
#define SG_ASK_DEADLINE_S     60    /* of a worker that is asked what it holds, or what can be measured */

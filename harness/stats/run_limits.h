/*
 * stats/run_limits.h - limits of a run's size, and the defaults. Suites, options and the readers of
 * a run's files enforce them.
 */
#pragma once

#include "util/text.h" /* SG_TOLERANCE_MAX */

#define SG_PROCESSES_MIN  5   /* processes of the first look; fewer give no reliable interval */
#define SG_PROCESSES_MAX  64  /* for a run's time pass; a 64-bit word has one bit for each */
#define SG_BLOCKS_MAX     512 /* per pair in one process */
#define SG_LAUNCHES_MAX   64  /* timed launches of a batch */
#define SG_REPEATS_MAX    16  /* counts of each item */
#define SG_DEADLINE_MIN_S 1e-3
#define SG_DEADLINE_MAX_S 3600
#define SG_JOBS_MAX       16 /* concurrent verifications */
#define SG_GPU_MAX        63 /* index of a GPU */

#define SG_TOLERANCE_DEFAULT  0.005 /* ratio */
#define SG_TOLERANCE_ENERGY   0.03  /* as floor_ratio of energy_ratio in metrics.ini */
#define SG_PROCESSES_DEFAULT  SG_PROCESSES_MIN
#define SG_BLOCKS_DEFAULT     8
#define SG_LAUNCHES_DEFAULT   4
#define SG_SEGMENT_MS         2000 /* of back-to-back launches: a batch of a sustained measurement */
#define SG_ENERGY_SEGMENT_MS  1000 /* the same of a measurement of energy */
#define SG_PILOT_MS_DEFAULT   2000 /* ms for the blocks that a pilot adds; a run looks once */
#define SG_PILOT_MS_GATE      700  /* ms; with less, a gate needs more processes and more time */
#define SG_REPEATS_DEFAULT    1
#define SG_DEADLINE_PROGRAM_S 600 /* for one start of a program: Python may compile first */
#define SG_DEADLINE_DEFAULT_S 20  /* for one item of one pass */
#define SG_JOBS_DEFAULT       4
#define SG_SEED_DEFAULT       1
#define SG_MAX_AGE_DEFAULT    "90d" /* of accepted numbers */
#define SG_ASK_DEADLINE_S     60    /* for a worker that lists its items or metrics */

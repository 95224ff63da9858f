/*
 * stats/clock_model.h - how a time follows the SM clock: beta, the negated slope of ln time on ln
 * clock (docs/method.md 5).
 *
 * Pure. beta is 1 for a kernel bound by the SM clock, 0 for a kernel bound by DRAM. A time T at
 * clock f becomes ln T + beta (ln f - ln f0) at clock f0. Invariant: beta is in [0, 1]. An unknown
 * beta is 0.5 +- 0.3, and an unknown clock shifts by 0 +- 2 %. So unknowns widen intervals and
 * never move them.
 */
#pragma once

#include <stddef.h>

#define SG_BETA_UNKNOWN    0.5
#define SG_BETA_UNKNOWN_SD 0.3 /* sd of a beta uniform on [0, 1]: 1/sqrt(12), rounded */
#define SG_BETA_KNOWN_SD   0.1 /* a slope with a larger error is rejected */
/* clock sd that a slope needs, in reading errors; at 5 they bias the slope by 4 % */
#define SG_CLOCK_READINGS 5.0
#define SG_NO_CLOCK_SD    0.02
#define SG_CLOCK_USUAL    0.01 /* usual difference of the mean clocks of two nightly runs, ln */

struct sg_clock_shift {
    double ln; /* add this to ln T */
    double sd; /* of that shift */
};
/* f, f0 in Hz, NaN or 0: not known; beta NaN: not known. */
struct sg_clock_shift sg_clock_shift_of(double f, double f0, double beta);

struct sg_clock_fit {
    /* clamped to [0, 1]; NaN: the clock moved too little, or the slope's error is over
     * SG_BETA_KNOWN_SD */
    double beta;
    double beta_se;  /* error of the slope, by processes; NaN with fewer than three */
    double clock_sd; /* ln, of all clock readings around their run's mean; NaN without clocks */
    /* ln, of one reading, estimated from neighbouring readings and the times; NaN without clocks */
    double reading_error;
    double f0; /* Hz, mean; NaN without clocks */
    /* ln, between processes of a run, at the clock f0; NaN for fewer than two processes */
    double sd_process;
    size_t processes;
};

/* One batch: its process and run (any numbers that separate them, ascending), and its
 * measurement. */
struct sg_batch_point {
    size_t run, process;
    double ns, hz; /* > 0; hz 0: not known */
};
/* The points are sorted by run and process, and by time within a process. */
struct sg_clock_fit sg_clock_fit_of(const struct sg_batch_point *points, size_t count);

/*
 * stats/clock_model.h - how a time follows the SM clock: beta, the slope of ln time on ln
 * clock, negated (docs/method.md 5).
 *
 * Pure. beta is 1 for a kernel bound by the SM's clock, 0 for one bound by DRAM. A time T at clock
 * f reads at clock f0 as ln T + beta (ln f - ln f0). Invariant: beta is in [0, 1]; where it is not
 * known it is taken as 0.5 +- 0.3, and where a clock is not known the shift is 0 +- 2 %, so that
 * what is not known widens intervals and never moves them.
 */
#pragma once

#include <stddef.h>

#define SG_BETA_UNKNOWN    0.5
#define SG_BETA_UNKNOWN_SD 0.3 /* of a beta between 0 and 1 of which nothing is known: 1/sqrt(12), rounded */
#define SG_BETA_KNOWN_SD   0.1 /* a slope with a larger error is not accepted */
#define SG_CLOCK_READINGS  5.0 /* nor one of a clock whose sd is not over so many reading errors: those draw a slope to 0, by 4 % then */
#define SG_NO_CLOCK_SD     0.02
#define SG_CLOCK_USUAL     0.01 /* by how much the mean clock of two nights usually differs, ln */

struct sg_clock_shift {
    double ln; /* to be added to ln T */
    double sd; /* of it */
};
/* f, f0 in Hz, NaN or 0: not known; beta NaN: not known. */
struct sg_clock_shift sg_clock_shift_of(double f, double f0, double beta);

/* What the batches of one variant say. */
struct sg_clock_fit {
    double beta;          /* clamped to [0, 1]; NaN: the clock moved too little, or the slope's error is over SG_BETA_KNOWN_SD */
    double beta_se;       /* of the slope, by processes; NaN with too few */
    double clock_sd;      /* ln, of all readings of the clock around their run's mean; NaN without clocks */
    double reading_error; /* ln, of one reading, as far as neighbouring ones and the times show it; NaN without clocks */
    double f0;            /* Hz, mean; NaN without clocks */
    double sd_process;    /* ln, between processes of a run, at the clock f0; NaN for fewer than two processes */
    size_t processes;
};

/* One batch: which process of which run it belongs to (any number that separates them,
 * ascending), and what was measured. */
struct sg_batch_point {
    size_t run, process;
    double ns, hz; /* > 0; hz 0: not known */
};
/* Points sorted by run and process, those of a process as they were measured. */
struct sg_clock_fit sg_clock_fit_of(const struct sg_batch_point *points, size_t count);

/*
 * run/progress.h - prints the progress of a run on stderr.
 *
 * On a terminal: one line that is rewritten, with the time left. Elsewhere: one line per phase, and
 * the state at most every 10 s, when a step is done. Lines of sg_progress_print stay in both cases.
 * Control characters in them are made visible. Invariant: no program parses this output.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_PROGRESS_LOG_S 10.0
#define SG_PROGRESS_LEAST 10 /* time left: shown once 1 step in this many is done */

struct sg_progress {
    bool terminal;
    const char *phase; /* borrowed; NULL: between phases */
    size_t done, total;
    struct sg_progress_mark {
        size_t done;
        double at_s;       /* monotonic clock */
    } mark[2];             /* at the last two doublings of `done`, or at the beginning */
    double shown_s;        /* when the state was last printed */
    double log_interval_s; /* between two state lines without a terminal */
};

void sg_progress_init(struct sg_progress *progress);
/* Begins a phase of `total` steps. `what` describes the phase: "verify: 25 items, 4 at a time". */
void sg_progress_phase(struct sg_progress *progress, const char *phase, size_t total,
                       const char *what);
/* Sets the number of steps still to come, replacing earlier numbers. */
void sg_progress_expect(struct sg_progress *progress, size_t left);
void sg_progress_step(struct sg_progress *progress);
/* Ends a step at that time (monotonic clock) without printing. */
void sg_progress_count(struct sg_progress *progress, double at_s);
/*
 * Estimates the time left from the latest half to three quarters of the steps; the first ones
 * may have waited for a hang. NaN: unknown, or nothing is left.
 */
double sg_progress_left_s(const struct sg_progress *progress, double at_s);
void sg_progress_print(struct sg_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Clears the rewritten line. */
void sg_progress_end(struct sg_progress *progress);

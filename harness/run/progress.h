/*
 * run/progress.h - what a run prints on stderr while it goes on.
 *
 * On a terminal: one line that is rewritten, with the time left; elsewhere: one line a phase,
 * and where the phase stands every 10 s, whenever a step is done. Lines said with
 * sg_progress_print stay in both, and what a terminal would obey in them is made visible.
 * Invariant: nothing that anyone parses is printed here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_PROGRESS_LOG_S 10.0
#define SG_PROGRESS_LEAST 10 /* a tenth of the steps must be done before a time is shown */

struct sg_progress {
    bool terminal;
    const char *phase; /* borrowed; NULL: between phases */
    size_t done, total;
    struct sg_progress_mark {
        size_t done;
        double at_s;       /* monotonic clock */
    } mark[2];             /* the last two doublings of `done`, or the beginning */
    double shown_s;        /* when its state was last printed */
    double log_interval_s; /* between two such lines where there is no terminal */
};

void sg_progress_init(struct sg_progress *progress);
/* A phase of `total` steps; `what` describes it: "verify: 25 items, 4 at a time". */
void sg_progress_phase(struct sg_progress *progress, const char *phase, size_t total, const char *what);
/* So many steps are still to come, whatever was said before. */
void sg_progress_expect(struct sg_progress *progress, size_t left);
void sg_progress_step(struct sg_progress *progress);
/* A step ends at that time, by the monotonic clock; nothing is printed. */
void sg_progress_count(struct sg_progress *progress, double at_s);
/*
 * By how long the latter half to three quarters of the steps so far took, for the first may have
 * waited for what hangs; NaN: not known yet, or nothing is left.
 */
double sg_progress_left_s(const struct sg_progress *progress, double at_s);
void sg_progress_print(struct sg_progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Clears the rewritten line. */
void sg_progress_end(struct sg_progress *progress);

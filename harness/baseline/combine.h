/*
 * baseline/combine.h - combines the same row of one or several runs into an accepted row, and
 * describes the change, for baseline/accept_merge.c.
 *
 * Pure. Times are combined as logarithms, at one clock. The spread is the difference between runs
 * beyond their own errors; for runs on several GPUs, between the means of the GPUs. Invariant: each
 * interval follows from the standard error in the same row.
 */
#pragma once

#include "baseline/accept.h"
#include "compare/accepted_variance.h"
#include "stats/clock_model.h"

/* Batches of all runs, sorted by variant, run and process. The names are borrowed from the
 * samples. */
struct sg_accept_batches {
    struct sg_accept_batch *batch; /* owned */
    size_t count;
};
void sg_accept_batches_init(struct sg_accept_batches *batches, const struct sg_accept_run *runs,
                            size_t run_count);
/* Number of processes of this run that timed the variant itself, not as a partner; 0: none.
 * *time_ns: the time computed from them as in `solgate run`. */
size_t sg_accept_batches_time(const struct sg_accept_batches *batches, size_t run,
                              const struct sg_value *item, double *time_ns);
/* Clock fit of one variant from its batches; all NaN without batches. */
struct sg_clock_fit sg_accept_batches_fit(const struct sg_accept_batches *batches,
                                          const struct sg_value *item);

/* A row of the runs. row[i] is NULL if run i lacks the row; at least one run has it. */
struct sg_accept_row {
    const struct sg_accept_run *runs;
    size_t run_count;
    const struct sg_row *const *row;
    const struct sg_catalogue *catalogue;
    const struct sg_accept_batches *batches;
    const size_t *unit;                 /* for each run: index of its GPU, 0 .. origin.units - 1 */
    struct sg_origin origin;            /* as seen from one of these GPUs */
    struct sg_bounds_by_df *bounds;     /* shared by all rows */
    const char *reason;                 /* NULL: none given */
    const struct sg_accepted_file *old; /* both NULL: not accepted before */
    const struct sg_row *old_row;
};

struct sg_accept_result {
    struct sg_value value; /* strings borrowed from the runs */
    struct sg_accepted accepted;
    const char *expect, *reason;
};

struct sg_accept_change {
    bool added, removed, moved, worse;
    bool shown; /* worth a line */
    /* by how much it gets worse: ln for a time, relative for a counter; below 0: better */
    double harm;
    struct sg_text line;
};

/* SG_INVALID if the runs contradict each other: different outcomes or partners of a pair. */
enum sg_code sg_accept_combine(const struct sg_accept_row *row, struct sg_accept_result *result,
                               struct sg_err *err);
/* Compares with the old row and sets the reason. */
void sg_accept_judge(const struct sg_accept_row *row, struct sg_accept_result *result,
                     struct sg_accept_change *change);
/* Returns true, and describes it, if a deciding row needs a tolerance above `most` (ratio). */
bool sg_accept_check_gate(const struct sg_accept_result *result, double most,
                          struct sg_accept_change *change);
void sg_accept_describe_removed(const struct sg_value *old, bool gated, bool was_run,
                                struct sg_accept_change *change);

/* Returns true for time and time_ratio. */
bool sg_accept_is_time(const char *metric);

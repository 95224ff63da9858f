/*
 * baseline/combine.h - one accepted row out of the same row of one or several runs, and what
 * changes by it; the inner half of baseline/accept_merge.c.
 *
 * Pure. Times are combined as logarithms, at one clock. The spread is what the runs differ by
 * beyond their own errors; of runs on several GPUs, what the means of the GPUs differ by.
 * Invariant: an interval that is written here is the one of the standard error beside it.
 */
#pragma once

#include "baseline/accept.h"
#include "compare/accepted_variance.h"
#include "stats/clock_model.h"

/* Batches of all runs, sorted by variant, run and process. Names are borrowed from the samples. */
struct sg_accept_batches {
    struct sg_accept_batch *batch; /* owned */
    size_t count;
};
void sg_accept_batches_init(struct sg_accept_batches *batches, const struct sg_accept_run *runs, size_t run_count);
void sg_accept_batches_release(struct sg_accept_batches *batches);
/*
 * In how many processes of this run the variant was timed as itself, not as a partner;
 * *time_ns: what they make of its time, as `solgate run` does. 0: in none.
 */
size_t sg_accept_batches_time(const struct sg_accept_batches *batches, size_t run, const struct sg_value *item, double *time_ns);
/* What they say of one variant; all NaN where there are none. */
struct sg_clock_fit sg_accept_batches_fit(const struct sg_accept_batches *batches, const struct sg_value *item);

/* A row of the runs; row[i] is NULL where run i lacks it, and at least one is there. */
struct sg_accept_row {
    const struct sg_accept_run *runs;
    size_t run_count;
    const struct sg_row *const *row;
    const struct sg_catalogue *catalogue;
    const struct sg_accept_batches *batches;
    const size_t *unit;                 /* of each run: which GPU, 0 .. origin.units - 1 */
    struct sg_origin origin;            /* as one of these GPUs sees it */
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
    bool shown;  /* worth a line of its own */
    double harm; /* by how much it gets worse: ln of a time, relative of a counter; below 0: better */
    struct sg_text line;
};

/* SG_INVALID when the runs contradict one another: another outcome, another partner of a pair. */
enum sg_code sg_accept_combine(const struct sg_accept_row *row, struct sg_accept_result *result, struct sg_err *err);
/* Compares with the old row and settles the reason. */
void sg_accept_judge(const struct sg_accept_row *row, struct sg_accept_result *result, struct sg_accept_change *change);
/* Is it a deciding row that no tolerance up to `most` (ratio) suffices for? Then that is worth a
 * line. */
bool sg_accept_check_gate(const struct sg_accept_result *result, double most, struct sg_accept_change *change);
void sg_accept_describe_removed(const struct sg_value *old, bool gated, bool was_run, struct sg_accept_change *change);

/* time or time_ratio? */
bool sg_accept_is_time(const char *metric);

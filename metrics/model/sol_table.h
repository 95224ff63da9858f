/*
 * model/sol_table.h - the speed-of-light table of a run. Finds its peaks and measured ceilings, and
 * the impossible measurements of the run.
 *
 * Invariant: the table borrows strings of its run's table and env, and must not outlive them. After
 * a failure it is empty.
 *
 *     struct sg_sol_table gaps = {0};
 *     if (sg_sol_table_make(&run.table, &run.env, NULL, false, &gaps, err) == SG_SUCCESS)
 *         format->gap(&gaps, &text);
 */
#pragma once

#include "model/refusals.h"
#include "model/roofline.h"
#include "results/env.h"
#include "results/item_filter.h"

struct sg_sol_table {
    struct sg_gpu_spec spec;
    struct sg_ceilings ceilings; /* all zero if not measured */
    const char *path;            /* path of the run as given, borrowed; NULL: not given */
    const struct sg_env *env;    /* env of the run, borrowed */
    bool of_run;                 /* false: work described by hand */
    /* L2 state of the run, borrowed: usually a word of results/l2_state.h; NULL: not known */
    const char *l2;
    /* found with the limits of the run's GPU, if known; the items' refusals point into it */
    struct sg_refusals refusals;
    /* owned; by case as in the run; in a case the baseline, then by time, then those without a
     * time */
    struct sg_gap *items;
    size_t count;
};

void sg_sol_table_keep(struct sg_sol_table *gaps, const struct sg_filters *filters);
/* Keeps the `most` fastest variants of each case, the baseline, and variants without a time. */
void sg_sol_table_keep_best(struct sg_sol_table *gaps, size_t most);

/* Uses the peaks of metrics/gpus/KEY.gpu; NULL: the peaks of the run's GPU. `with_times`: all
 * items; those without work, or of a GPU without a spec, have a time and no limit (limit_ns is
 * NaN). SG_BAD_INPUT: no such spec, a malformed ceilings file, or an error of sg_gap_table. */
enum sg_code sg_sol_table_make(const struct sg_table *table, const struct sg_env *env,
                               const char *key, bool with_times, struct sg_sol_table *gaps,
                               struct sg_err *err);
/* Uses the run's GPU and no ceilings: a run's record, and the making of ceilings, must not
 * depend on a ceilings file. */
enum sg_code sg_sol_table_of_peaks(const struct sg_table *table, const struct sg_env *env,
                                   struct sg_sol_table *gaps, struct sg_err *err);

/* An item of two runs, A and B, for information: nothing here is a verdict. */
struct sg_beside {
    struct sg_gap gap[2]; /* A's and B's; time, gap and limit are NaN if a run has no such item */
    double ratio, low, high; /* B's time over A's, with its interval; NaN: not known, high alone
                              * for a time whose lower limit is 0 */
    double hardware;         /* B's limit over A's: what the GPUs explain; NaN: not known */
    double left;             /* ratio over hardware */
    /* the gain in time from B, compared with that of the hardware: "less" or "more" by over 5 %,
     * "alike", "unclear" if the interval holds the hardware's ratio; "" without both limits */
    const char *gains;
};
/* B's time / A's time, with an interval from the errors of both; NaN: not known. */
void sg_gap_ratio(const struct sg_gap *a, const struct sg_gap *b, struct sg_beside *row);
/* Items with a time in either run, owned by the caller: first those with both limits, the smallest
 * gain first, then those with both times, the largest ratio first, then the others. */
struct sg_beside *sg_side_by_side(const struct sg_sol_table gaps[2], size_t *count);

/*
 * model/sol_table.h - the speed-of-light table of a run. Finds its peaks and measured ceilings, and
 * the impossible measurements of the run.
 *
 * Invariant: the table borrows strings of its run's table and env, and must not outlive them. After
 * a failure it is empty.
 *
 *     struct sg_sol_table gaps = {0};
 *     if (sg_sol_table_make(&run.table, &run.env, NULL, &gaps, err) == SG_SUCCESS)
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

/* Uses the peaks of metrics/gpus/KEY.gpu; NULL: the peaks of the run's GPU. SG_BAD_INPUT: no such
 * spec, a malformed ceilings file, or an error of sg_gap_table. */
enum sg_code sg_sol_table_make(const struct sg_table *table, const struct sg_env *env,
                               const char *key, struct sg_sol_table *gaps, struct sg_err *err);
/* Uses the run's GPU and no ceilings: a run's record, and the making of ceilings, must not
 * depend on a ceilings file. */
enum sg_code sg_sol_table_of_peaks(const struct sg_table *table, const struct sg_env *env,
                                   struct sg_sol_table *gaps, struct sg_err *err);

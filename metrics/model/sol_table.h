/*
 * model/sol_table.h - the speed-of-light table of a run, with the peaks and the measured ceilings
 * that it is shown beside, found by themselves, and what of the run cannot be.
 *
 * Invariant: what is in here borrows the strings of the table and the env that it was made from,
 * and ends with them; after a failure there is nothing in here.
 *
 *     struct sg_sol_table gaps = {0};
 *     if (sg_sol_table_make(&run.table, &run.env, NULL, &gaps, err) == SG_SUCCESS)
 *         format->gap(&gaps, &text);
 *     sg_sol_table_release(&gaps);
 */
#pragma once

#include "model/refusals.h"
#include "model/roofline.h"
#include "results/env.h"
#include "results/item_filter.h"

struct sg_sol_table {
    struct sg_gpu_spec spec;
    struct sg_ceilings ceilings; /* all zero where none were measured */
    const char *path;            /* of the run, as the caller gives it, borrowed; NULL: not given */
    const struct sg_env *env;    /* of the run, borrowed */
    bool of_run;                 /* false: of work that was described by hand */
    const char *l2;              /* state of the L2 in the run, borrowed: a word of results/l2_state.h if all is well; NULL: not known */
    struct sg_refusals refusals; /* by the limits of the run's own GPU, where it is known; the items' refusals are in here */
    struct sg_gap *items; /* owned; case by case as in the run, in each the baseline, then the fastest first, then what has no time */
    size_t count;
};

/* Keeps the items that are asked for. */
void sg_sol_table_keep(struct sg_sol_table *gaps, const struct sg_filters *filters);
/* Keeps of each case the `most` fastest variants, the baseline and what was not timed. */
void sg_sol_table_keep_best(struct sg_sol_table *gaps, size_t most);

/*
 * Against the peaks of metrics/gpus/KEY.gpu; NULL: those of the GPU that the run
 * was taken on. SG_BAD_INPUT: there is no such spec, a file of ceilings is
 * malformed, or what sg_gap_table refuses.
 */
enum sg_code sg_sol_table_make(const struct sg_table *table, const struct sg_env *env, const char *key, struct sg_sol_table *gaps,
                               struct sg_err *err);
/* Of the run's own GPU and without ceilings: what a run says of itself, and what ceilings are made
 * of, must not hang on a file of them. */
enum sg_code sg_sol_table_of_peaks(const struct sg_table *table, const struct sg_env *env, struct sg_sol_table *gaps, struct sg_err *err);
void sg_sol_table_release(struct sg_sol_table *gaps);

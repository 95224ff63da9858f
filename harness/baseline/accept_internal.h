/*
 * baseline/accept_internal.h - what the files of accept share: the merge of all tables
 * and what they ask of each other.
 *
 * accept_checks.c: may these runs be accepted together. accept_waivers.c: items that may
 * be other than green. accept_merge.c: the rows. accept_env.c: the facts beside them.
 * accept.c calls them in this order.
 */
#ifndef SG_BASELINE_ACCEPT_INTERNAL_H
#define SG_BASELINE_ACCEPT_INTERNAL_H

#include "baseline/combine.h"

/*
 * Where the merge of all tables stands. Table 0 is the old baseline (may be empty),
 * then the runs in the order given.
 */
struct sg_merge {
    const struct sg_accept_options *options;
    const struct sg_table **table; /* owned, as all pointers below that say nothing else */
    size_t *at;                    /* of each table: its next row */
    size_t tables;
    struct sg_accepted_file *fresh;  /* the caller's */
    struct sg_accept_report *report; /* the caller's */
    struct sg_accept_batches batches;
    size_t *unit;       /* of each run: index into units */
    const char **units; /* names borrowed from the runs */
    struct sg_origin origin;
    struct sg_env origins; /* of each item with times, by its key: SG_ACCEPTED_ITEM_PREFIX */
    char *is, *was;        /* the origin of the runs and of the numbers of before; the same word if it is the same */
    struct sg_bounds_by_df bounds;
    double tolerance_max;           /* ratio */
    struct sg_value item;           /* whose rows are being merged */
    bool undeclared;                /* and it is not what it declares, in one of the runs */
    struct sg_intern_pool *failing; /* FAMILY/CASE/VARIANT that are right, and still not green: slow, not counted, not gated */
    bool uncounted;                 /* or something went wrong while it was counted, in one of them */
};

/* As sg_baseline_accept refuses runs before a row is merged. */
enum sg_code sg_accept_check_runs(const struct sg_accept_options *options, struct sg_err *err);

/* By names: family, case, variant, metric; as strcmp. */
int sg_accept_compare_rows(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b, const struct sg_row *y);

/* Is the item among those that are to be waived? */
bool sg_accept_is_asked(const struct sg_accept_options *options, const struct sg_value *item);
/* May this item, which has this status and does not declare it, be so? */
bool sg_accept_is_waived(const struct sg_accept_options *options, const struct sg_value *item, enum sg_status status);
/*
 * Status of the item in the last run that has it; SG_STATUS_COUNT: none does. *undeclared: in any
 * of the runs it is not what it declares.
 */
enum sg_status sg_accept_status_of(const struct sg_accept_options *options, const struct sg_value *item, bool *undeclared);
/* What ended the count pass of an item that is right, where something
 * went wrong in it; NULL: nothing did. */
const struct sg_row *sg_accept_lost_count(const struct sg_table *table, const struct sg_value *item);
/* Rows of the waivers that are asked for, then of those of before that still stand.
 * SG_BAD_USAGE as of sg_baseline_accept. */
enum sg_code sg_merge_add_waivers(struct sg_merge *merge, struct sg_err *err);

/* Adds a row to the fresh table. Returns what is accepted of it:
 * nothing yet, the caller sets it. */
struct sg_accepted *sg_merge_add_row(struct sg_merge *merge, const struct sg_value *value);
/* Has any run the item of this row of `table`? */
bool sg_merge_any_run_has(const struct sg_merge *merge, const struct sg_table *table, const struct sg_row *row);
/* Is the item, which is right, waived for something that these runs show again? Of merged rows. */
bool sg_merge_still_fails(const struct sg_merge *merge, const struct sg_value *item);
/* What the run is judged by, where it is something else than before. */
void sg_merge_terms(struct sg_merge *merge);
/* All rows of the fresh table, sorted. */
enum sg_code sg_merge_rows(struct sg_merge *merge, struct sg_err *err);

/* Which GPUs the runs came from, in the order of the runs, and the words for
 * that: unit, units, origin, is, was. */
void sg_merge_find_origins(struct sg_merge *merge);
/* Of a row of times: whether it is one of before (`is_kept`) or of
 * the runs. Nothing of other rows. */
void sg_merge_note_origin(struct sg_merge *merge, const struct sg_value *value, bool is_kept);
/* Of merged rows. */
void sg_merge_set_env(const struct sg_merge *merge, struct sg_env *env);

#endif

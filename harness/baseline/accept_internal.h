/*
 * baseline/accept_internal.h - what the files of accept share: the merge of all tables, item by
 * item.
 *
 * accept.c: may these runs be accepted together, and in which order all is done. accept_merge.c: an
 * item and its rows. accept_waivers.c: items that may be other than green. accept_env.c: the facts
 * beside the rows.
 */
#pragma once

#include "baseline/combine.h"

/* A family/case/variant in all tables. */
struct sg_merge_item {
    struct sg_value name;  /* family, case and variant */
    bool is_in_runs;       /* in one of them */
    enum sg_status status; /* in the last run that has it; SG_STATUS_COUNT: none says */
    bool is_undeclared;    /* it is not what it declares, in one of the runs */
    bool is_uncounted;     /* it is right, and something went wrong while it was counted, in one of them */
    bool is_asked;         /* to be waived */
    bool is_failing;       /* it is right, and still not green: slow, not counted, not gated */
    bool stays;            /* a night that times what changed found it identical to what is accepted */
    bool keeps_times;      /* of before */
};

/*
 * Where the merge of all tables stands. Table 0 is the old numbers (may be empty), then the runs in
 * the order given.
 */
struct sg_merge {
    const struct sg_accept_options *options;
    size_t tables;
    const struct sg_table **table;   /* owned, as all pointers below that say nothing else */
    struct sg_row_range *at;         /* of each table: its rows of the item at hand that are still to come */
    const struct sg_row **row;       /* of each table: its row of the metric at hand; NULL: none */
    struct sg_accepted_file *fresh;  /* the caller's */
    struct sg_accept_report *report; /* the caller's */
    struct sg_accept_batches batches;
    size_t *unit;       /* of each run: index into units */
    const char **units; /* names borrowed from the runs */
    struct sg_origin origin;
    struct sg_env origins; /* of each item with times, by its key: SG_ACCEPTED_ITEM_PREFIX */
    char *is, *was;        /* the origin of the runs and of the numbers of before; the same word if it is the same */
    struct sg_bounds_by_df bounds;
    struct sg_merge_item item; /* at hand */
    struct sg_text waivers;    /* what is said of them, a line each */
};

/* The run that the facts are of. */
const struct sg_accept_run *sg_last_run(const struct sg_accept_options *options);

/* Counts the change and keeps its line, which is released. */
void sg_accept_add_change(struct sg_accept_report *report, struct sg_accept_change *change, bool has_reason);

/* All rows of the fresh numbers, sorted. */
enum sg_code sg_merge_rows(struct sg_merge *merge, struct sg_err *err);

/* Is each item that is to be waived in the runs, and the last day to come? SG_BAD_USAGE. */
enum sg_code sg_accept_check_waivers(const struct sg_accept_options *options, struct sg_err *err);
/* May the item at hand, which has this status and does not declare it, be so? */
bool sg_merge_is_waived(const struct sg_merge *merge, enum sg_status status);
/* After the rows of the item at hand: the waiver that is asked for, or the one of before that still
 * stands. */
void sg_merge_add_waiver(struct sg_merge *merge);

/* Which GPUs the runs came from, in the order of the runs, and the words for that: unit, units,
 * origin, is, was. */
void sg_merge_find_origins(struct sg_merge *merge);
/* The facts of the last run that are facts of its numbers. */
void sg_merge_begin_env(struct sg_merge *merge);
/* After the rows of the item at hand: of which runs and of which build its numbers are. */
void sg_merge_note_item(struct sg_merge *merge);
/* After all items. */
void sg_merge_end_env(struct sg_merge *merge);

/*
 * baseline/accept_internal.h - shared by the files of accept: the merge of all tables, item by
 * item.
 *
 * accept.c checks the runs and controls the order. accept_merge.c merges an item and its rows.
 * accept_waivers.c handles items that may fail. accept_env.c writes the facts besides the rows.
 */
#pragma once

#include "baseline/combine.h"
#include "util/names.h"

/* A family/case/variant over all tables. */
struct sg_merge_item {
    struct sg_value name;  /* family, case and variant */
    bool is_in_runs;       /* in at least one run */
    enum sg_status status; /* in the last run that has the item; SG_STATUS_COUNT: no status */
    bool is_undeclared;    /* not as declared in at least one run */
    bool is_uncounted;     /* correct, but counting failed in at least one run */
    bool is_asked;         /* a waiver is requested */
    bool is_failing;       /* correct, but not green: slow, not counted, not gated */
    /* a nightly run that timed only changed rows found it identical to the accepted item */
    bool stays;
};

/* State of the merge. Table 0 holds the old numbers (may be empty), then come the runs in the
 * given order. */
struct sg_merge {
    const struct sg_accept_options *options;
    size_t tables;
    const struct sg_table **table;   /* owned, like all pointers below unless stated */
    struct sg_row_range *at;         /* for each table: remaining rows of the current item */
    const struct sg_row **row;       /* for each table: row of the current metric; NULL: none */
    struct sg_accepted_file *fresh;  /* the caller's */
    struct sg_accept_report *report; /* the caller's */
    struct sg_accept_batches batches;
    size_t *unit;          /* for each run: index of its GPU */
    struct sg_names units; /* GPUs of all items */
    /* as the facts and the rows say: the number of runs; the current item's "GPU+GPU" */
    struct sg_text runs, item_units;
    struct sg_origin origin; /* the current item's */
    struct sg_bounds_by_df bounds;
    struct sg_merge_item item; /* current item */
    struct sg_text waivers;    /* one line per waiver */
};

/* The last run, which supplies the facts. */
const struct sg_accept_run *sg_last_run(const struct sg_accept_options *options);

/* Counts the change, stores its line and releases the change. */
void sg_accept_add_change(struct sg_accept_report *report, struct sg_accept_change *change,
                          bool has_reason);

/* Adds all rows of the fresh numbers, sorted. */
enum sg_code sg_merge_rows(struct sg_merge *merge, struct sg_err *err);

/* Checks that each item to waive is in the runs, and that the last day is not over.
 * SG_BAD_USAGE. */
enum sg_code sg_accept_check_waivers(const struct sg_accept_options *options, struct sg_err *err);
/* Returns true if a waiver allows the current item to have this undeclared status. */
bool sg_merge_is_waived(const struct sg_merge *merge, enum sg_status status);
/* Call after the rows of the current item: adds the requested waiver, or keeps a valid old one. */
void sg_merge_add_waiver(struct sg_merge *merge);

/* Sets unit, item_units and origin of the current item, from its GPUs in the order of the runs. */
void sg_merge_find_origin(struct sg_merge *merge);
/* Copies the facts of the last run, without those that describe only the run. */
void sg_merge_begin_env(struct sg_merge *merge);
/* Call after all items. */
void sg_merge_end_env(struct sg_merge *merge);

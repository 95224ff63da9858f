/*
 * model/item_rows.h - the rows of each item of a run that the model reads.
 *
 * Invariant: items are in the order of the run, which is sorted, and borrow from it.
 *
 *     struct sg_items items = sg_items_of(run);
 *     for each i: sg_item_value(&items.items[i], SG_ITEM_TIME);
 *                 sg_items_work(&items, i, &work, &is_upper_bound);
 */
#pragma once

#include "model/physics.h"
#include "results/table.h"

/* One metric each; one per pipe and per number format. */
enum sg_item_metric {
    SG_ITEM_TIME,
    SG_ITEM_RATIO,
    SG_ITEM_STATUS,
    SG_ITEM_ROLE,
    SG_ITEM_SHAPE,
    SG_ITEM_DENSITY,
    SG_ITEM_SM_CLOCK,
    SG_ITEM_DRAM_READ,
    SG_ITEM_GRID,
    SG_ITEM_BLOCK,
    SG_ITEM_OCCUPANCY,
    SG_ITEM_KERNELS,
    SG_ITEM_GUESSED, /* the work is the size of whole arrays, and the function may need less */
    SG_ITEM_PIPE,
    SG_ITEM_READ_BYTES = SG_ITEM_PIPE + SG_PIPES,
    SG_ITEM_WRITE_BYTES,
    SG_ITEM_FLOP,
    SG_ITEM_METRICS = SG_ITEM_FLOP + SG_DTYPE_COUNT
};

struct sg_item_rows {
    const struct sg_table *run;
    const struct sg_row *first;
    const struct sg_row *row[SG_ITEM_METRICS]; /* NULL: none */
    const struct sg_row *unknown_work;         /* a work row with an unknown name; NULL: none */
    size_t case_begins;                        /* index of the first item of its case */
    /* in the first item of a case: 1 + index of the case's first item with work; 0: none */
    size_t with_work;
};

struct sg_items {
    struct sg_item_rows *items; /* owned */
    size_t count, capacity;
};

struct sg_items sg_items_of(const struct sg_table *run);

/* NaN: not measured. */
double sg_item_value(const struct sg_item_rows *item, int metric);
/* a row's message; "": no row */
const char *sg_item_words(const struct sg_item_rows *item, int metric);
/* The work belongs to the case: an item without work rows uses those of another item. Returns
 * false if no item has any. *is_upper_bound: the work is an upper bound. */
bool sg_items_work(const struct sg_items *items, size_t item, struct sg_work *work,
                   bool *is_upper_bound);

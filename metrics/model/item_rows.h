/*
 * model/item_rows.h - the rows that the model reads of each item of a run.
 *
 * Invariant: items stand in the order of the run, which is sorted; they borrow it.
 *
 *     struct sg_items items = sg_items_of(run);
 *     sg_item_value(&items.items[i], SG_ITEM_TIME), sg_items_work(&items, i, &work) of each
 *     sg_items_release(&items);
 */
#pragma once

#include "model/physics.h"
#include "results/table.h"

/* One metric each; of pipes and number formats one for each of them. */
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
    SG_ITEM_PIPE,
    SG_ITEM_READ_BYTES = SG_ITEM_PIPE + SG_PIPES,
    SG_ITEM_WRITE_BYTES,
    SG_ITEM_FLOP,
    SG_ITEM_METRICS = SG_ITEM_FLOP + SG_DTYPE_COUNT
};

struct sg_item_rows {
    const struct sg_table *run;
    const struct sg_row *first;
    const struct sg_row *row[SG_ITEM_METRICS]; /* NULL: there is none */
    const struct sg_row *unknown_work;         /* of work, by a name that is none of these; NULL: none */
    size_t case_begins;                        /* number of the first item of its case */
    size_t with_work;                          /* of the first item of a case: number and 1 of the first one with work; 0: none */
};

struct sg_items {
    struct sg_item_rows *items; /* owned */
    size_t count, capacity;
};

struct sg_items sg_items_of(const struct sg_table *run);
void sg_items_release(struct sg_items *items);

/* NaN: there is none that was measured. */
double sg_item_value(const struct sg_item_rows *item, int metric);
const char *sg_item_words(const struct sg_item_rows *item, int metric); /* a row's message; "": no row */
/* The work is the case's: an item without rows of it has that of another one. False: none has
 * any. */
bool sg_items_work(const struct sg_items *items, size_t item, struct sg_work *work);

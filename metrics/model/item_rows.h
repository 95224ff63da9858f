/*
 * model/item_rows.h - the rows of each item of a run that the model reads.
 *
 * Invariant: items are in the order of the run, which is sorted, and borrow from it.
 *
 *     struct sg_items items = sg_items_of(run);
 *     for each i: sg_item_value(&items.items[i], SG_ITEM_TIME);
 *                 sg_items_work(&items, i, &work, &kind);
 */
#pragma once

#include "model/physics.h"
#include "results/table.h"

/* Counters of arithmetic: constant, metric, number format, flop per count. `fops2` counts each
 * packed opcode once, so `ffma2` adds the second half of the flop of FFMA2. Half-precision opcodes
 * add no flop, because compilers also convert numbers and move constants with them; the busy time
 * of the FMA pipe includes these opcodes. Counters of the tensor pipe come last. */
#define SG_COUNTER_TABLE(X)                               \
    X(SG_COUNTER_FADD, "fadd", SG_F32, 1)                 \
    X(SG_COUNTER_FMUL, "fmul", SG_F32, 1)                 \
    X(SG_COUNTER_FFMA, "ffma", SG_F32, 2)                 \
    X(SG_COUNTER_FOPS2, "fops2", SG_F32, 2)               \
    X(SG_COUNTER_FFMA2, "ffma2", SG_F32, 2)               \
    X(SG_COUNTER_DADD, "dadd", SG_F64, 1)                 \
    X(SG_COUNTER_DMUL, "dmul", SG_F64, 1)                 \
    X(SG_COUNTER_DFMA, "dfma", SG_F64, 2)                 \
    X(SG_COUNTER_HFMA, "hfma", SG_F16, 0)                 \
    X(SG_COUNTER_TENSOR, "tensor_f64", SG_F64, 1)         \
    X(SG_COUNTER_TF32, "tensor_tf32", SG_TF32, 1)         \
    X(SG_COUNTER_BF16, "tensor_bf16", SG_BF16, 1)         \
    X(SG_COUNTER_F16, "tensor_f16", SG_F16, 1)            \
    X(SG_COUNTER_F16_SUM, "tensor_f16_sum", SG_F16, 1)    \
    X(SG_COUNTER_E4M3, "tensor_e4m3", SG_E4M3, 1)         \
    X(SG_COUNTER_E4M3_SUM, "tensor_e4m3_sum", SG_E4M3, 1) \
    X(SG_COUNTER_E2M1, "tensor_e2m1", SG_E2M1, 1)         \
    X(SG_COUNTER_I8, "tensor_i8", SG_I8, 1)

enum sg_counter { SG_COUNTER_TABLE(SG_CONSTANT) SG_COUNTERS };

enum sg_work_kind {
    SG_DECLARED_WORK,
    SG_GUESSED_WORK, /* an upper bound: the size of whole arrays, and the function may need less */
    SG_COUNTED_WORK, /* what counters saw: the kernel may need less, or may have done more */
};

/* One metric each; one per pipe, counter and number format. */
enum sg_item_metric {
    SG_ITEM_TIME,
    SG_ITEM_RATIO,
    SG_ITEM_STATUS,
    SG_ITEM_ROLE,
    SG_ITEM_SHAPE,
    SG_ITEM_DENSITY,
    SG_ITEM_SM_CLOCK,
    SG_ITEM_DRAM_READ,
    SG_ITEM_DRAM_WRITE,
    SG_ITEM_L2,
    SG_ITEM_LSU,
    SG_ITEM_GRID,
    SG_ITEM_BLOCK,
    SG_ITEM_OCCUPANCY,
    SG_ITEM_KERNELS,
    SG_ITEM_LAUNCHES,
    SG_ITEM_TOTAL,
    SG_ITEM_GUESSED, /* the work is the size of whole arrays, and the function may need less */
    SG_ITEM_PIPE,
    SG_ITEM_COUNTER = SG_ITEM_PIPE + SG_PIPES, /* of the arithmetic that was done */
    SG_ITEM_READ_BYTES = SG_ITEM_COUNTER + SG_COUNTERS,
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
/* Declared work belongs to the case: an item without work rows uses those of another item, but not
 * a kernel of a program. Without any, the work is the item's own counted work. Returns false if
 * there is none. */
bool sg_items_work(const struct sg_items *items, size_t item, struct sg_work *work,
                   enum sg_work_kind *kind);
/* The flop, by number format, and DRAM bytes that the counters of an item saw. Returns false if
 * the opcodes or the bytes were not counted, or if the chip cannot count what its tensor pipe
 * did. */
bool sg_item_counted(const struct sg_item_rows *item, struct sg_work *work);

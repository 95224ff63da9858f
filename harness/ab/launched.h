/*
 * ab/launched.h - what the two sides of a gate of programs launched in each start. Matches the
 * kernels of the two sides. Pure.
 *
 * A kernel is identified by range, symbol, grid, block and dynamic shared memory. A kernel without
 * an exact match is paired with the only unmatched one of the same range and name, for example one
 * with another grid. If there are several or none, the kernel has no partner. Identical launches of
 * all processes of one start are one value. So is the range as a whole, the sum of its kernels.
 * A kernel's first launch loads its code, and only the range that runs first pays for the load. So
 * the sum counts the first launch as long as the mean of the later ones.
 */
#pragma once

#include "exec/traced_items.h"
#include "stats/sequential.h"

#define SG_NO_PARTNER SIZE_MAX

struct sg_launched {
    const char *range, *symbol, *name,
        *geometry;     /* borrowed; `name` is for people; symbol "": the range as a whole */
    uint64_t code;     /* digest of the machine code; 0: unknown */
    size_t row;        /* number in the side's names */
    size_t whole;      /* index of its range as a whole; its own: is that */
    size_t partner;    /* index on the other side */
    uint64_t launches; /* in the last start */
    double total_ns;   /* of them; each first launch as long as later ones */
    struct sg_process_value start[SG_SEQUENTIAL_PROCESSES_MAX]; /* `y` is ln ns of a launch, or of
                                                                   the range as a whole */
    unsigned starts;                                            /* starts that launched it */
};

struct sg_launched_side {
    struct sg_launched *items; /* owned */
    size_t count, capacity;
    struct sg_traced_items traced; /* of the current start; the same item numbers */
    struct sg_gathering names;
};
void sg_launched_side_release(struct sg_launched_side *side);

/* Adds one series of the current start. */
void sg_launched_add(struct sg_launched_side *side, const char *range, const struct sg_trace *trace,
                     const struct sg_trace_series *series);
void sg_launched_end_start(struct sg_launched_side *side);
/* Call once, when both sides have a start. */
void sg_launched_match(struct sg_launched_side *baseline, struct sg_launched_side *candidate);

bool sg_launched_is_whole(const struct sg_launched *item);
/* Share of its range's time in the last start. */
double sg_launched_share(const struct sg_launched_side *side, const struct sg_launched *item);

/* Name of the variant in run.csv, freed by the caller. Its case is sg_gathered_case of the side's
 * names. */
char *sg_launched_variant(const struct sg_launched_side *side, const struct sg_launched *item);

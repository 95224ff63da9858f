/*
 * ab/launched.h - what the two sides of a gate of programs launched, start by start, and which
 * kernel of one side is which of the other. Pure.
 *
 * A kernel is told by its range, symbol, grid, block and dynamic shared memory. One that the other
 * side lacks is taken for the only other one of its range and name that is left over there, such as
 * one with another grid; where there are more, or none, it has no partner. What one start launched
 * alike, by all its processes, is one value; so is the range as a whole, the sum of its kernels.
 * The first launch of a kernel loads its code, and only the range that comes first has it. So the
 * sum takes it to be as long as the launches behind it.
 */
#pragma once

#include "import/gather.h"
#include "stats/sequential.h"
#include "trace/trace_reader.h"

#define SG_NO_PARTNER SIZE_MAX

struct sg_launched {
    const char *range, *symbol, *name, *geometry; /* borrowed; `name` is for people; symbol "": the range as a whole */
    uint64_t code;                                /* digest of its machine code; 0: not known */
    size_t whole;                                 /* the item of its range as a whole; its own: it is one */
    size_t partner;                               /* on the other side */
    uint64_t launches, total_ns;                  /* of the last start */
    double steady_ns;                             /* the same as if each first launch had been as long as those behind it */
    double *ln_ns;                                /* owned; of the start that goes on */
    size_t count, capacity;
    struct sg_process_value start[SG_SEQUENTIAL_PROCESSES_MAX]; /* `y` is ln ns of a launch, or of the range as a whole */
    unsigned starts;                                            /* that launched it */
};

struct sg_launched_side {
    struct sg_launched *items; /* owned */
    size_t count, capacity;
    struct sg_gathering names; /* numbers of items are the same there */
};
void sg_launched_side_release(struct sg_launched_side *side);

/* One series of the start that goes on. */
void sg_launched_add(struct sg_launched_side *side, const char *range, const struct sg_trace *trace, const struct sg_trace_series *series);
void sg_launched_end_start(struct sg_launched_side *side);
/* Once, when both have a start. */
void sg_launched_match(struct sg_launched_side *baseline, struct sg_launched_side *candidate);

bool sg_launched_is_whole(const struct sg_launched *item);
/* Of the time of its range in the last start. */
double sg_launched_share(const struct sg_launched_side *side, const struct sg_launched *item);

/* Of run.csv, to be freed by the caller; its case is sg_gathered_case of the side's names. */
char *sg_launched_variant(const struct sg_launched_side *side, const struct sg_launched *item);

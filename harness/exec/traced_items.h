/*
 * exec/traced_items.h - traces of processes as items of a run: case = NVTX range, variant = kernel.
 *
 * Identical launches of several processes of one start are one item. With one start, the values
 * are the durations of its launches. Each of several starts is a file (import/gather.h). With a
 * label, each range and the program are items, too.
 */
#pragma once

#include <regex.h>

#include "import/gather.h"
#include "results/row_kind.h"
#include "stats/sequential.h"
#include "trace/trace_reader.h"
#include "util/names.h"

#define SG_NO_RANGE "all" /* the case of launches outside all ranges */

struct sg_traced_filter {
    const char *range; /* shell pattern; NULL: all launches, including those outside all ranges */
    bool has_kernel;
    regex_t kernel; /* owned; matches the symbol or the readable name */
};
/* `kernel` NULL: all. SG_BAD_USAGE: `kernel` is not a valid regular expression. */
enum sg_code sg_traced_filter_make(const char *range, const char *kernel,
                                   struct sg_traced_filter *filter, struct sg_err *err);
bool sg_traced_is_wanted(const struct sg_traced_filter *filter, const char *range,
                         const char *symbol);

#define SG_NO_PARTNER SIZE_MAX

/* What tells equal launches of two starts apart. */
struct sg_traced_build {
    unsigned registers;
    uint64_t code; /* digest of the machine code; 0: unknown, or several codes have the name */
};

/* All launches of one symbol with one grid, block and dynamic shared memory in one case, in all
 * processes of a start; or all kernels of a range, or of the program. */
struct sg_traced_item {
    const char *range, *case_;     /* borrowed; range NULL: the program */
    const char *symbol, *geometry; /* borrowed; "": a range or the program */
    size_t row;                    /* see sg_traced_row */
    size_t whole;                  /* index of its range; a range has its own index */
    uint64_t code;                 /* digest of the machine code; 0: unknown */
    double *ns;                    /* owned; durations in the current start */
    size_t count, capacity;
    /* owned; in the current start: times from the launch call to the start of the kernel, on an
     * idle device */
    double *latency_ns;
    size_t latency_count, latency_capacity;
    uint64_t launches; /* in the current start */
    double total_ns;   /* total of these; a first launch counts as the mean of the later ones */
    bool in_graph;
    bool *has; /* owned; which counters have a value; NULL: none so far */
    /* in a gate (ab/kernel_pairs.h): the item on the other side, and the value of each start */
    size_t partner;
    struct sg_process_value start[SG_SEQUENTIAL_PROCESSES_MAX];
    struct sg_traced_build build, built[SG_SEQUENTIAL_PROCESSES_MAX]; /* now, and in each start */
    unsigned starts; /* number of starts that gave a value */
    uint32_t in;     /* one bit for each start that launched the item */
    double share;    /* largest share of its range's time in a start */
};

struct sg_traced_items {
    struct sg_gathering *gathering; /* borrowed; names of items, and their rows */
    const char *label; /* case outside ranges, and prefix of other cases; NULL: "all", no prefix */
    struct sg_traced_item *items; /* owned; ranges too, and with a label the program */
    size_t count, capacity;
    struct sg_intern_pool *keys; /* owned; number of a launch's key - 1: index of its item */
};

/* Adds a series of the current start, as launches in `range`. */
struct sg_traced_item *sg_traced_items_add_series(struct sg_traced_items *items, const char *range,
                                                  const struct sg_trace *trace,
                                                  const struct sg_trace_series *series);
/* Forgets the launches of the current start. */
void sg_traced_items_clear(struct sg_traced_items *items);
bool sg_traced_is_whole(const struct sg_traced_item *item);
/* Returns the item's number in the gathering. A range gets its number at the first call. */
size_t sg_traced_row(struct sg_traced_items *items, struct sg_traced_item *item);

/* Adds the wanted series of a process, and the facts of their kernels. */
enum sg_code sg_traced_items_add(struct sg_traced_items *items, const struct sg_trace *trace,
                                 const struct sg_traced_filter *filter, struct sg_err *err);
/* Call after all traces of one start were added: gathers the times. is_one_of_many: the run has
 * other starts. sm_clock: mean of the start in Hz; 0: unknown. */
enum sg_code sg_traced_items_end_start(struct sg_traced_items *items, bool is_one_of_many,
                                       double sm_clock, struct sg_err *err);

/* Adds counted launches to the timed items. `metrics` are the requested ones, in their order. */
enum sg_code sg_traced_items_add_counts(struct sg_traced_items *items, const struct sg_trace *trace,
                                        const struct sg_metric *const *metrics, size_t count,
                                        struct sg_err *err);
/* Call at the end of counting (of_ranges: ranges were counted). Records why an item lacks some of
 * the `count` counters. `stuck` lists symbols that hung. */
void sg_traced_items_end_counts(struct sg_traced_items *items, size_t count, bool of_ranges,
                                const struct sg_names *stuck);
/* Symbols that are not counted without --kernel: they wait for other GPUs. */
#define SG_LEFT_OUT "^nccl|nvshmem"

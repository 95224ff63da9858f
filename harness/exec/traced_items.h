/*
 * exec/traced_items.h - traces of processes as items of a run: case = NVTX range, variant = kernel.
 *
 * What several processes of one start of the program launched alike is one item. Of one start the
 * times are those of its launches; of several, the median of each start is one value, for launches
 * of one process are alike in what differs from process to process. With a label each range, and
 * the program, is an item too.
 */
#pragma once

#include <regex.h>

#include "import/gather.h"
#include "results/row_kind.h"
#include "trace/trace_reader.h"
#include "util/names.h"

/* Variants that are all kernels of a range, or of a program of a suite: their time is the sum. */
#define SG_WHOLE_RANGE   "whole_range"
#define SG_WHOLE_PROGRAM "whole_program"

#define SG_NO_RANGE "all" /* the case of launches in no range */

struct sg_traced_filter {
    const char *range; /* pattern of the shell; NULL: all, and those in no range */
    bool has_kernel;
    regex_t kernel; /* owned; matches the symbol or the readable name */
};
/* `kernel` NULL: all. SG_BAD_USAGE: it is no regular expression. */
enum sg_code sg_traced_filter_make(const char *range, const char *kernel, struct sg_traced_filter *filter, struct sg_err *err);
void sg_traced_filter_release(struct sg_traced_filter *filter);
bool sg_traced_is_wanted(const struct sg_traced_filter *filter, const char *range, const char *symbol);

/* The item of a kernel; the row `note` is its symbol, geometry and `more`. */
size_t sg_traced_gather(struct sg_gathering *gathering, const char *case_, const char *symbol, const char *geometry, const char *more);

struct sg_traced_items {
    struct sg_gathering *gathering; /* borrowed */
    const char *label;              /* the case of launches in no range, and what stands before that of a range; NULL: "all", nothing */
    struct sg_traced_item *item;    /* owned; by the number of the item */
    size_t capacity;
    struct sg_intern_pool *launches; /* owned: what a launch call says of itself, and */
    struct sg_traced_launch *launch; /* owned: by its number there, which item it is of */
    size_t launch_capacity;
};
void sg_traced_items_release(struct sg_traced_items *items);

enum sg_code sg_traced_items_add(struct sg_traced_items *items, const struct sg_trace *trace, const struct sg_traced_filter *filter,
                                 struct sg_err *err);
/* All traces of one start of the program are there; is_one_of_many: there are other starts. The SM
 * clock is that of the start, Hz; 0: not known. */
enum sg_code sg_traced_items_end_start(struct sg_traced_items *items, bool is_one_of_many, double sm_clock, struct sg_err *err);

/* The launches that were counted, onto the items that were timed: `metrics` are what was asked
 * for, in its order. A launch that could be of several items is left out. */
enum sg_code sg_traced_items_add_counts(struct sg_traced_items *items, const struct sg_trace *trace, const struct sg_metric *const *metrics,
                                        size_t count, struct sg_err *err);
/* At the end of counting, of kernels or of ranges: why an item lacks some of the `count` counters.
 * `stuck` lists symbols that did not end. */
void sg_traced_items_end_counts(struct sg_traced_items *items, size_t count, bool of_ranges, const struct sg_names *stuck);
/* Symbols that are not counted unless --kernel is given: they wait for other GPUs. */
#define SG_LEFT_OUT "^nccl|nvshmem"

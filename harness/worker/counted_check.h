/*
 * worker/counted_check.h - checks the launches whose counters are read.
 *
 * All items of a case are launched on the same inputs, so their outputs must agree. Before each
 * launch the outputs are overwritten with plausible wrong values. After the launch the outputs are
 * saved by copies, not by kernels, which CUPTI would count. When all items are counted, the last
 * outputs of each item are compared with those of the first launched item. If they differ, or if
 * there is only one item, the reference decides. To use it: open, add each item's runnable, call
 * sg_counted_check_launched after each launch, judge.
 */
#pragma once

#include "worker/checked_launch.h"

struct sg_counted_item {
    void *put_away[SG_MAX_BUFFERS]; /* owned by the device; outputs of the last launch */
    bool launched, suspect;
    struct sg_outcome outcome; /* set by sg_counted_check_judge */
};

struct sg_counted_check {
    struct sg_buffers *buffers;    /* borrowed; with their inputs */
    void *decoy[SG_MAX_BUFFERS];   /* owned by the device */
    struct sg_counted_item *items; /* owned */
    size_t count, capacity;
};

/* Sets outcome to SG_OOM if there is too little memory. A variant must not be able to predict
 * `secret`. */
enum sg_code sg_counted_check_open(struct sg_counted_check *check, struct sg_buffers *buffers,
                                   uint64_t secret, struct sg_outcome *outcome, struct sg_err *err);
void sg_counted_check_release(struct sg_counted_check *check);

/* Allocates memory for one more item's outputs, or sets outcome to SG_OOM. The runnable will
 * overwrite the outputs before each launch. */
void sg_counted_check_add(struct sg_counted_check *check, struct sg_runnable *runnable,
                          struct sg_outcome *outcome);
/* Call after each launch of item number `item`; items are numbered in the order they were added. */
enum sg_code sg_counted_check_launched(struct sg_counted_check *check, size_t item,
                                       struct sg_err *err);
/* Sets the outcome of each item. */
enum sg_code sg_counted_check_judge(struct sg_counted_check *check, struct sg_err *err);

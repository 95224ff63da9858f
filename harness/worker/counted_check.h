/*
 * worker/counted_check.h - the launches that counters are read of are checked too.
 *
 * All items of a case are launched on the same inputs, so their outputs must agree. Before each
 * launch the outputs are overwritten with what looks done and is not; behind it they are put away
 * by copies, which are no kernels that CUPTI would count. What was put away last of each item is
 * compared when all is counted, with that of the first item that was launched; where they differ,
 * or there is no other one, the reference is asked. How it is used: open, add each item's runnable,
 * launched behind each launch, judge.
 */
#pragma once

#include "worker/checked_launch.h"

struct sg_counted_item {
    void *put_away[SG_MAX_BUFFERS]; /* owned by the device; outputs of its last launch */
    bool launched, suspect;
    struct sg_outcome outcome; /* of sg_counted_check_judge */
};

struct sg_counted_check {
    struct sg_buffers *buffers;    /* borrowed; filled */
    void *decoy[SG_MAX_BUFFERS];   /* owned by the device */
    struct sg_counted_item *items; /* owned */
    size_t count, capacity;
};

/* SG_OOM goes to outcome; `secret` is what no variant can foresee. */
enum sg_code sg_counted_check_open(struct sg_counted_check *check, struct sg_buffers *buffers, uint64_t secret, struct sg_outcome *outcome,
                                   struct sg_err *err);
void sg_counted_check_release(struct sg_counted_check *check);

/* Makes room for the outputs of one more item, or SG_OOM goes to outcome, and has its runnable
 * overwrite them before each launch. */
void sg_counted_check_add(struct sg_counted_check *check, struct sg_runnable *runnable, struct sg_outcome *outcome);
/* Behind each launch of item number `item`, in the order in which they were added. */
enum sg_code sg_counted_check_launched(struct sg_counted_check *check, size_t item, struct sg_err *err);
/* What each item comes to. */
enum sg_code sg_counted_check_judge(struct sg_counted_check *check, struct sg_err *err);

/*
 * device/cuda/timer.h - one batch on a GPU: settle, then timed
 * launches, each between two clock stamps.
 *
 * Time comes from CUPTI's activity records (ticks of 1 ns); from CUDA events only where CUPTI is
 * missing (about 2 us too long for a kernel of 10 us). The source is said in the run. What comes
 * before a launch (device/cuda/launch_preamble.h) ends before its first stamp, and is in no time.
 * Two more stamps stand around all of a batch, each when the device is idle: what the records
 * between them show is judged (device/launch_activity.h), and work that is not where it is timed is
 * SG_MISPLACED. Without CUPTI nothing is known of that. Invariant: a batch either returns a
 * positive time for every launch or a status with the reason.
 */
#pragma once

#include "device/cuda/activity.h"
#include "device/cuda/clock_stamp.h"
#include "device/cuda/driver_calls.h"
#include "device/cuda/launch_preamble.h"
#include "device/device.h"

#define SG_KNOWN_RUNNABLES 4 /* more than the two sides of a pair */

struct sg_cuda_timer {
    struct sg_cuda_work *work;
    struct sg_cupti *cupti; /* NULL: CUDA events */
    struct sg_stamper stamper;
    CUevent events[2 * SG_LAUNCHES_MAX + 2];            /* used without CUPTI only */
    struct sg_calls calls;                              /* used with CUPTI only */
    const struct sg_runnable *seen[SG_KNOWN_RUNNABLES]; /* of the item; only compared */
    double host_ns[SG_KNOWN_RUNNABLES];                 /* what the host takes at least for a launch of each */
    unsigned seen_count;
    unsigned place, late; /* of the batch under way: that of its runnable; launches that took the host longer than the spin */
    unsigned stamps;      /* of the batch under way */
    bool first;           /* it is the first one of its runnable since begin_item */
};

/* The timer must stay where it is until it is released. */
enum sg_code sg_cuda_timer_init(struct sg_cuda_timer *timer, struct sg_cuda_work *work, struct sg_cupti *cupti, struct sg_err *err);
void sg_cuda_timer_release(struct sg_cuda_timer *timer);
/* Before the batches of an item, when its sides are prepared: the
 * next batch of each is its first. */
void sg_cuda_timer_begin_item(struct sg_cuda_timer *timer);
/* `hooks` may be NULL. */
enum sg_status sg_cuda_timer_batch(struct sg_cuda_timer *timer, const struct sg_runnable *what, unsigned launches,
                                   const struct sg_batch_hooks *hooks, struct sg_batch *batch, struct sg_reason *why);
/* A segment of launches on end (device/device.h); the timer must be one without CUPTI. */
enum sg_status sg_cuda_timer_sustain(struct sg_cuda_timer *timer, const struct sg_runnable *what, double seconds, struct sg_batch *batch,
                                     struct sg_reason *why);

/*
 * device/cuda/timer.h - one batch on a GPU: wait for an idle device, then timed launches, each
 * between two clock stamps.
 *
 * Times come from CUPTI's activity records (ticks of 1 ns), and from CUDA events only without CUPTI
 * (about 2 us too long for a kernel of 10 us). The run states the source. Work before a launch
 * (device/cuda/launch_preamble.h) ends before the launch's first stamp and is not timed. Two more
 * stamps enclose the batch, each on an idle device. The records between them are judged
 * (device/launch_activity.h); work outside of its stamps is SG_MISPLACED. This check needs CUPTI.
 * Invariant: a batch returns a positive time for every launch, or a status with the reason.
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
    CUevent events[2 * SG_LAUNCHES_MAX + 2]; /* with CUPTI only two, for segments */
    struct sg_calls calls;                   /* used only with CUPTI */
    /* runnables of the item; compared, never dereferenced */
    const struct sg_runnable *seen[SG_KNOWN_RUNNABLES];
    double host_ns[SG_KNOWN_RUNNABLES]; /* shortest host time for a launch of each */
    unsigned seen_count;
    struct sg_intern_pool *launched; /* owned; of the batches (struct sg_batch) */
    /* current batch: index of its runnable; launches whose host time exceeded the spin */
    unsigned slot, late;
    unsigned stamps; /* current batch */
    bool first;      /* first batch of its runnable since begin_item */
};

/* The timer must not move until it is released. */
enum sg_code sg_cuda_timer_init(struct sg_cuda_timer *timer, struct sg_cuda_work *work,
                                struct sg_cupti *cupti, struct sg_err *err);
void sg_cuda_timer_release(struct sg_cuda_timer *timer);
/* Call before the batches of an item, when its sides are prepared: the next batch of each side
 * is its first. */
void sg_cuda_timer_begin_item(struct sg_cuda_timer *timer);
/* `hooks` may be NULL. */
enum sg_status sg_cuda_timer_batch(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                   unsigned launches, const struct sg_batch_hooks *hooks,
                                   struct sg_batch *batch, struct sg_reason *why);
/* A segment of back-to-back launches (device/device.h). CUPTI's records stop meanwhile: those of
 * seconds would take too much memory. */
enum sg_status sg_cuda_timer_sustain(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                     double seconds, struct sg_batch *batch, struct sg_reason *why);

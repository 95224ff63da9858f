/*
 * worker/prefetch.h - inputs that a thread makes while the GPU is opened, which takes
 * 0.35 s and needs nothing of them.
 *
 * Of the cases that a pass begins with: its drift references and its first item. Invariant:
 * sg_ahead_take waits for the thread, so that nothing is made beside a launch, and what could
 * not be made is not there: whoever needs it then makes it, and tells what is wrong. An
 * item's own fill is not called here: what it does to the worker would befall it before the
 * item that pays for it has begun.
 * How it is used: sg_ahead_start before the device is opened, sg_ahead_take for each case,
 * sg_ahead_release at the end, also if never started.
 */
#ifndef SG_WORKER_PREFETCH_H
#define SG_WORKER_PREFETCH_H

#include <pthread.h>

#include "results/validity.h"
#include "worker/case_buffers.h"

#define SG_AHEAD_MAX (SG_DRIFT_COUNT + 1) /* cases */

struct sg_ahead {
    pthread_t thread;
    bool running;
    const struct sg_target *targets[SG_AHEAD_MAX]; /* borrowed; one a case */
    bool is_item[SG_AHEAD_MAX];                    /* not a drift reference, whose fill is known */
    struct sg_buffers *made[SG_AHEAD_MAX];         /* owned; laid out and drawn, not open; NULL: not made, or taken */
    size_t count;
    uint64_t seed;
    bool whole; /* as the reference reads them */
};

/* Names a case to begin with; one that is named already, or is one too many, is
 * left out. Before sg_ahead_start. */
void sg_ahead_add(struct sg_ahead *ahead, const struct sg_target *target, bool is_item);
/* Starts the thread; `ahead` must stay where it is. Where the system has no
 * thread for it nothing is made ahead. */
void sg_ahead_start(struct sg_ahead *ahead, uint64_t seed, bool whole);
/* Buffers of the case, whose owner the caller then is; NULL: they were not made. */
struct sg_buffers *sg_ahead_take(struct sg_ahead *ahead, const struct sg_case *c);
void sg_ahead_release(struct sg_ahead *ahead);

#endif

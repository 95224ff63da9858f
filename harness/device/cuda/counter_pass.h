/*
 * device/cuda/counter_pass.h - hardware counters and launch facts of a set of launches on a GPU.
 *
 * Setting up a pass takes about 24 ms on an H200, whatever the pass runs. So every pass launches
 * all items of the set (CUPTI: auto ranges, user replay), and the cost is per pass, not per item.
 * Before each launch the inputs are restored and the L2 is flushed, so the declared L2 state holds
 * in every pass. CUPTI's kernel replay cannot do that. CUPTI takes 0.4 to 2 ms for each kernel and
 * sees all kernels, so the harness launches as few as possible. User ranges can exclude kernels,
 * but overestimate the time of a 5 us kernel fourfold, and so affect every value per elapsed cycle.
 * Invariant: without counters every value has the reason; the launch facts are always present.
 */
#pragma once

#include <pthread.h>

#include "cupti/range_profiler.h"
#include "device/cuda/timer.h"

/* ---- launch_attributes.c ---- */

#define SG_FACTS_KERNELS_MAX 64

struct sg_launch_seen {
    CUfunction function;
    unsigned grid_blocks, block_threads, dynamic_shared_bytes, cluster_blocks;
};

struct sg_facts {
    const struct sg_cuda *cuda;
    CUdevice device;
    struct sg_calls calls;
    struct sg_launch_seen seen[SG_FACTS_KERNELS_MAX];
    unsigned count; /* number of launches; may exceed the size of `seen` */
};

/* `cuda` and `device` must be set, and the struct must not move until `calls` is closed. SG_INVALID
 * as sg_calls_open. */
enum sg_code sg_facts_open(struct sg_facts *facts, const struct sg_cupti *cupti,
                           struct sg_err *err);
enum sg_code sg_facts_begin(struct sg_facts *facts, struct sg_err *err);
/* Facts of a launch of `what`, with the build facts of its module's kernels. */
enum sg_code sg_facts_end(struct sg_facts *facts, const struct sg_runnable *what,
                          struct sg_launch_facts *out, struct sg_err *err);

/* ---- counter_pass.c ---- */

struct sg_cuda_counter {
    struct sg_cuda_work *work;
    struct sg_cupti cupti;
    struct sg_facts facts;
    struct sg_counters *counters;
    char chip[32];
    const struct sg_metric *const *metrics; /* borrowed */
    /* owned array: names of the metrics that this chip has */
    const char **cupti_names;
    /* owned: index of each metric in cupti_names; SIZE_MAX: not on this chip */
    size_t *cupti_of;
    size_t metric_count, cupti_count;
    struct sg_err none;       /* why no counters are available */
    struct sg_count_set *set; /* the current set */
    CUcontext context;
    /* sets up the profiler while the caller makes inputs and prepares variants */
    pthread_t starting;
    bool is_starting; /* while true, only that thread uses the members above */
};

/* The context belongs to `device` and is current. */
void sg_cuda_counter_init(struct sg_cuda_counter *counter, struct sg_cuda_work *work,
                          CUdevice device, CUcontext context,
                          const struct sg_counting_order *order);
void sg_cuda_counter_release(struct sg_cuda_counter *counter);
/* See `count` in struct sg_device_ops. */
void sg_cuda_counter_count(struct sg_cuda_counter *counter, struct sg_count_set *set);

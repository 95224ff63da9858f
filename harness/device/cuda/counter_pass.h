/*
 * device/cuda/counter_pass.h - hardware counters and launch facts of a set of launches on a GPU.
 *
 * A pass takes about 24 ms to set up on an H200, whatever runs in it. So every item of a set is
 * launched in each pass (CUPTI: auto ranges, user replay), inputs restored and the L2 flushed
 * before it, and the price is paid once a pass, not once a pass and item. The declared L2 state
 * then holds in every pass too, which replaying kernels inside of CUPTI cannot do. Each kernel
 * that CUPTI sees takes 0.4 to 2 ms, and it sees all of them: so there are no more than are
 * needed. (Its user ranges leave kernels out, but read the time of one of 5 us four times too long,
 * and what is per elapsed cycle with it.)
 * Invariant: without counters every value has the reason; the facts of the launch are always there.
 */
#pragma once

#include <pthread.h>

#include "cupti/range_profiler.h"
#include "device/cuda/launch_attributes.h"
#include "device/cuda/timer.h"

struct sg_cuda_counter {
    struct sg_cuda_work *work;
    struct sg_cupti cupti;
    struct sg_facts facts;
    struct sg_counters *counters;
    char chip[32];
    const struct sg_metric *const *metrics; /* borrowed */
    const char **cupti_names;               /* owned array: those of `metrics` that this chip has */
    size_t *cupti_of;                       /* owned: index in cupti_names of each metric; SIZE_MAX: not on this chip */
    size_t metric_count, cupti_count;
    struct sg_err none;       /* why there are no counters at all */
    struct sg_count_set *set; /* that is being counted */
    CUcontext context;
    pthread_t starting; /* sets the profiler up while the caller makes inputs and prepares variants; */
    bool is_starting;   /* while it does, only it touches what is above */
};

/* The context is that of the device, and current. */
void sg_cuda_counter_init(struct sg_cuda_counter *counter, struct sg_cuda_work *work, CUdevice device, CUcontext context,
                          const struct sg_counting_order *order);
void sg_cuda_counter_release(struct sg_cuda_counter *counter);
/* What struct sg_device_ops says of `count`. */
void sg_cuda_counter_count(struct sg_cuda_counter *counter, struct sg_count_set *set);

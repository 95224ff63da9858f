/*
 * device/cuda/launch_watcher.h - what a batch's launches do that activity records do not tell:
 * functions for the host to run, and launches from the device.
 *
 * A kernel that can launch is known from when its code was loaded. So the watcher is opened before
 * anything is prepared; code that a module loads before, in a constructor or in `supports`, is not
 * seen. Nor is a host function that is a node of a CUDA graph.
 */
#ifndef SG_DEVICE_CUDA_LAUNCH_WATCHER_H
#define SG_DEVICE_CUDA_LAUNCH_WATCHER_H

#include <pthread.h>

#include "device/cuda/driver_calls.h"
#include "device/launch_activity.h"

struct sg_cuda_watcher {
    struct sg_calls calls;
    pthread_mutex_t lock;
    struct sg_intern_pool *launchers; /* owned: names of the functions that can launch */
    bool watching;                    /* a batch is under way */
    const char *host_call;            /* of the batch; NULL: none */
};

/* The watcher must stay where it is until it is closed. SG_INVALID as sg_calls_open. */
enum sg_code sg_cuda_watcher_open(struct sg_cuda_watcher *watcher, const struct sg_cupti *cupti, struct sg_err *err);
void sg_cuda_watcher_close(struct sg_cuda_watcher *watcher);

/* Around the launches of a batch; the end returns the call that handed work to the host, NULL
 * without one. */
void sg_cuda_watcher_begin(struct sg_cuda_watcher *watcher);
const char *sg_cuda_watcher_end(struct sg_cuda_watcher *watcher);
/* Marks the kernels that can launch. */
void sg_cuda_watcher_complete(struct sg_cuda_watcher *watcher, struct sg_activity *records, size_t count);

#endif

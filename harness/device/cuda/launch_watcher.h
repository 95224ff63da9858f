/*
 * device/cuda/launch_watcher.h - what a batch's launches do that activity records do not tell:
 * functions for the host to run, launches from the device, and on which thread each launch was
 * made.
 *
 * A graph with a node that runs on the host is known from when it was made, and a kernel that can
 * launch from when its code was loaded. So the watcher is opened before anything is prepared; code
 * that a module loads before, in a constructor or in `supports`, is not seen. Threads are told of
 * the batches for which that is asked: each call that is shown takes host time, which shows between
 * the kernels of a launch of several where the L2 is warm.
 */
#ifndef SG_DEVICE_CUDA_LAUNCH_WATCHER_H
#define SG_DEVICE_CUDA_LAUNCH_WATCHER_H

#include <pthread.h>

#include "device/cuda/driver_calls.h"
#include "device/launch_activity.h"

struct sg_launch_call {
    uint32_t correlation, thread;
};

struct sg_cuda_watcher {
    struct sg_calls calls;
    pthread_mutex_t lock;
    struct sg_host_graphs graphs;
    struct sg_intern_pool *launchers; /* owned: names of the functions that can launch */
    bool watching;                    /* a batch is under way */
    bool threads;                     /* and who launches is asked */
    bool shown;                       /* launches are, by the callbacks */
    const char *host_call;            /* of the batch; NULL: none */
    struct sg_launch_call *launches;  /* owned: of the batch */
    size_t count, capacity;
};

/* The watcher must stay where it is until it is closed. SG_INVALID as sg_calls_open. */
enum sg_code sg_cuda_watcher_open(struct sg_cuda_watcher *watcher, const struct sg_cupti *cupti, struct sg_err *err);
void sg_cuda_watcher_close(struct sg_cuda_watcher *watcher);

/* Around the launches of a batch. */
enum sg_code sg_cuda_watcher_begin(struct sg_cuda_watcher *watcher, bool threads, struct sg_err *err);
enum sg_code sg_cuda_watcher_end(struct sg_cuda_watcher *watcher, struct sg_err *err);
/* After that: the call that handed work to the host, NULL without one. */
const char *sg_cuda_watcher_host_call(struct sg_cuda_watcher *watcher);
/* And which kernels may launch, and who launched what; 0 stays where that is not known. */
void sg_cuda_watcher_complete(struct sg_cuda_watcher *watcher, struct sg_activity *records, size_t count);
/* The calling thread. */
uint32_t sg_cuda_watcher_thread(void);

#endif

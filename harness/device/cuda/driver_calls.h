/*
 * device/cuda/driver_calls.h - what CUPTI's callbacks show: launches and host functions, before the
 * calls are made, and code that is loaded into the GPU.
 *
 * What the runtime and libraries call comes through the driver, so theirs are seen too. CUPTI has
 * one subscriber in a process: this one. It is opened before anything is prepared. A count pass
 * takes the facts of launches from it (device/cuda/launch_attributes.h). A time pass asks which
 * launches hand work to the host, and which kernels can launch work from the device; both leave no
 * activity record. A verification digests the code that was loaded, whatever it was made from: a
 * module's own images, a file, PTX or source that was compiled at run time.
 * Not seen: code that a module loads in a constructor or in `supports`, a host function that is a
 * node of a CUDA graph, and a module that subscribes itself before, or that changes CUPTI or the
 * driver in memory.
 */
#pragma once

#include <pthread.h>

#include "cupti/cupti_api.h"
#include "device/launch_activity.h"
#include "util/names.h"

enum sg_call_kind {
    SG_CALL_LAUNCH,        /* params begin like cuLaunchKernel_params */
    SG_CALL_LAUNCH_CONFIG, /* cuLaunchKernelEx_params */
    SG_CALL_HOST,          /* a function for the host to run when the stream comes to it */
};

struct sg_call {
    enum sg_call_kind kind;
    const void *params; /* as generated_cuda_meta.h has them; only until the handler returns */
};

struct sg_calls {
    const struct sg_cupti *cupti;
    /* Of launches, on the thread that makes the call, maybe on several at once; must not call CUDA.
     * NULL where launches are not shown. */
    void (*on_launch)(void *context, const struct sg_call *call);
    void *context;
    CUpti_SubscriberHandle subscriber; /* NULL: not open */
    pthread_mutex_t lock;
    struct sg_intern_pool *launchers; /* owned: names of the functions that can launch (device/device_launches.h) */
    struct sg_names digests;          /* of the cubins that were loaded */
    bool watching;
    const char *host_call; /* the first one while it was watched; NULL: none */
};

/*
 * Subscribes; `cupti`, `on_launch` and `context` are set, and it must stay where it is until it is
 * closed. SG_INVALID: there is another subscriber, and what to do about it.
 */
enum sg_code sg_calls_open(struct sg_calls *calls, struct sg_err *err);
void sg_calls_close(struct sg_calls *calls);
/* From now on, or no longer. Each call that is shown costs its caller a microsecond or so. */
enum sg_code sg_calls_show(const struct sg_calls *calls, enum sg_call_kind kind, bool on, struct sg_err *err);
enum sg_code sg_calls_show_modules(const struct sg_calls *calls, struct sg_err *err);

/* Around the launches of a batch; the end returns the call that handed work to the host, NULL
 * without one. */
void sg_calls_begin_watch(struct sg_calls *calls);
const char *sg_calls_end_watch(struct sg_calls *calls);
/* Marks the kernels that can launch. */
void sg_calls_mark(struct sg_calls *calls, struct sg_activity *records, size_t count);
/* Adds the code that was loaded so far, in an order that does not depend on threads. */
void sg_calls_add_code(struct sg_calls *calls, struct sg_digest *digest);

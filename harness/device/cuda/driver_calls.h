/*
 * device/cuda/driver_calls.h - CUPTI callbacks for launches and host functions, before the driver
 * makes the call, and for code loaded into the GPU.
 *
 * The runtime and libraries call the driver, so their calls are seen too. CUPTI allows one
 * subscriber per process: this one. It is opened before anything is prepared. A count pass takes
 * the launch facts from it (device/cuda/launch_attributes.c). A time pass asks which launches hand
 * work to the host, and which kernels can launch work from the device; neither leaves an activity
 * record. A verification digests all loaded code: images of a module, a file, PTX or source
 * compiled at run time. Code loaded in a module's constructor or in `supports` is not seen, nor are
 * host nodes of a CUDA graph. A module that subscribes first, or patches CUPTI or the driver in
 * memory, is not seen.
 */
#pragma once

#include <pthread.h>

#include "cupti/cupti_api.h"
#include "device/launch_activity.h"
#include "util/names.h"

enum sg_call_kind {
    SG_CALL_LAUNCH,        /* params start like cuLaunchKernel_params */
    SG_CALL_LAUNCH_CONFIG, /* cuLaunchKernelEx_params */
    SG_CALL_HOST,          /* a host function in stream order */
};

struct sg_call {
    enum sg_call_kind kind;
    const void *params; /* types of generated_cuda_meta.h; valid until the handler returns */
};

struct sg_calls {
    const struct sg_cupti *cupti;
    /* Called for launches in the calling thread, maybe in several at once. Must not call CUDA.
     * NULL if launches are not shown. */
    void (*on_launch)(void *context, const struct sg_call *call);
    void *context;
    CUpti_SubscriberHandle subscriber; /* NULL: not open */
    pthread_mutex_t lock;
    /* owned: names of functions that can launch (device/device_launches.h) */
    struct sg_intern_pool *launchers;
    struct sg_names digests; /* digests of the loaded cubins */
    bool watching;
    const char *host_call; /* the first call since the watch began; NULL: none */
};

/* Subscribes. `cupti`, `on_launch` and `context` must be set, and the struct must not move until
 * it is closed. SG_INVALID with the remedy: there is another subscriber. */
enum sg_code sg_calls_open(struct sg_calls *calls, struct sg_err *err);
void sg_calls_close(struct sg_calls *calls);
/* Switches the callbacks of a kind on or off. Each callback costs the calling thread about a
 * microsecond. */
enum sg_code sg_calls_show(const struct sg_calls *calls, enum sg_call_kind kind, bool on,
                           struct sg_err *err);
enum sg_code sg_calls_show_modules(const struct sg_calls *calls, struct sg_err *err);

/* Call around the launches of a batch. The end returns the call that handed work to the host, or
 * NULL. */
void sg_calls_begin_watch(struct sg_calls *calls);
const char *sg_calls_end_watch(struct sg_calls *calls);
/* Sets may_launch of the kernels that can launch. */
void sg_calls_mark(struct sg_calls *calls, struct sg_activity *records, size_t count);
/* Adds the code loaded so far, in an order independent of threads. */
void sg_calls_add_code(struct sg_calls *calls, struct sg_digest *digest);

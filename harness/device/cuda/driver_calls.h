/*
 * device/cuda/driver_calls.h - calls of the CUDA driver, shown by
 * CUPTI's callbacks before they are made:
 * launches and host functions.
 *
 * What the runtime and libraries call comes through the driver, so theirs are seen too. CUPTI has
 * one subscriber in a process: this one, for the facts of a count pass
 * (device/cuda/launch_attributes.h), for the batches of a time pass
 * (device/cuda/launch_watcher.h) or for the code that a verification loads
 * (device/cuda/loaded_code.h). Handlers run on the thread that makes the call, maybe on several
 * at once, and must not call CUDA.
 * Not seen: what a module does that subscribes itself before, or that changes CUPTI or the driver
 * in memory.
 */
#ifndef SG_DEVICE_CUDA_DRIVER_CALLS_H
#define SG_DEVICE_CUDA_DRIVER_CALLS_H

#include "cupti/cupti_api.h"

enum sg_call_kind {
    SG_CALL_LAUNCH,        /* params begin like cuLaunchKernel_params */
    SG_CALL_LAUNCH_CONFIG, /* cuLaunchKernelEx_params */
    SG_CALL_HOST,          /* a function for the host to run when the stream comes to it */
};

struct sg_call {
    enum sg_call_kind kind;
    const char *name;   /* "cuLaunchKernel"; stays */
    const void *params; /* as generated_cuda_meta.h has them; only until the handler returns */
};

struct sg_calls {
    const struct sg_cupti *cupti;
    void (*on_call)(void *context, const struct sg_call *call);
    void (*on_module)(void *context, const void *cubin, size_t bytes); /* code was loaded */
    void *context;
    CUpti_SubscriberHandle subscriber; /* NULL: not open */
};

/*
 * Subscribes; the members before `subscriber` are set. SG_INVALID: there is another subscriber, and
 * what to do about it.
 */
enum sg_code sg_calls_open(struct sg_calls *calls, struct sg_err *err);
void sg_calls_close(struct sg_calls *calls);
/* From now on, or no longer. Each call that is shown costs its caller a microsecond or so. */
enum sg_code sg_calls_show(const struct sg_calls *calls, enum sg_call_kind kind, bool on, struct sg_err *err);
/* What on_module is for. */
enum sg_code sg_calls_show_modules(const struct sg_calls *calls, struct sg_err *err);

#endif

/* run/ask_gpus.h - what the driver says of GPUs of this machine, asked by workers. */
#pragma once

#include "results/env.h"
#include "util/names.h"

struct sg_gpu {
    uint64_t number; /* as the driver counts */
    struct sg_env facts;
    struct sg_names notes; /* notes of worker/doctor_cuda.c; empty if `module` is given */
    enum sg_code code;     /* reason of a failure; SG_SUCCESS: the worker gave none */
    struct sg_text why;    /* why the GPU cannot be used; "": it can be used */
};
/* Asks a worker per GPU, all at once, for the facts of its GPU. With a `module` the worker only
 * opens the device of the module; with "" the worker examines all that the GPU can measure. */
enum sg_code sg_gpus_ask(const char *worker, const char *module, struct sg_gpu *gpus, size_t count,
                         struct sg_err *err);

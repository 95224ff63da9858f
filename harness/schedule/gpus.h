/* schedule/gpus.h - the GPUs of this machine that a run uses: --gpu=N, --gpu=0,2, --gpu=all. */
#pragma once

#include "run/ask_gpus.h"
#include "run/run_plan.h"

/* Reader of the option --gpu into the run's options: `gpu` is the first one, and `gpus` has a bit
 * per GPU if there are several. */
enum sg_code sg_gpus_read(void *place, const char *found, struct sg_err *err);

/* Returns the chosen GPUs; `why` of an unusable one has the reason. If all are chosen, the last one
 * returned is usable. SG_NO_GPU: none can be used. */
struct sg_gpu *sg_gpus_find(const struct sg_run_plan *plan, uint64_t chosen, size_t *count,
                            struct sg_err *err);
/* Appends the words that bind a command to the CPUs near the GPU; none if these CPUs are unknown or
 * not allowed here. */
void sg_gpu_add_binding(const struct sg_gpu *gpu, struct sg_names *argv);

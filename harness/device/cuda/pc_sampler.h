/*
 * device/cuda/pc_sampler.h - CUPTI's PC sampling behind a few functions: where the warps of all
 * kernels between start and stop stood, and why.
 *
 * Continuous mode: kernels are not serialised, and no launch is repeated for it. It cannot be on
 * beside the range profiler. The code of each module that is loaded is kept in a folder as
 * DIGEST.cubin, for who disassembles it.
 * Invariant: one in a process, opened before the first module that is to be seen is loaded.
 */
#pragma once

#include "cupti/cupti_api.h"
#include "device/device.h"

struct sg_pc_sampler {
    struct sg_cupti cupti;
    CUcontext context; /* NULL: it is not open */
    CUpti_PCSamplingData data;
    CUpti_PCSamplingData left; /* CUPTI's own; in one buffer with `data` there are no samples */
    size_t reasons;
    char **reason;       /* owned, as each is: CUPTI's names */
    uint32_t *reason_id; /* owned: CUPTI's number of each */
};

enum sg_code sg_pc_sampler_open(struct sg_pc_sampler *sampler, CUcontext context, const char *folder, struct sg_err *err);
void sg_pc_sampler_close(struct sg_pc_sampler *sampler);
enum sg_code sg_pc_sampler_start(struct sg_pc_sampler *sampler, struct sg_err *err);
/* Hands on what was sampled since the start, but of the harness's own kernels. SG_INVALID too when
 * samples were dropped. */
enum sg_code sg_pc_sampler_stop(struct sg_pc_sampler *sampler, const struct sg_pc_sink *sink, struct sg_err *err);

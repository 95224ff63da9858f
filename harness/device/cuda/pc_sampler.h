/*
 * device/cuda/pc_sampler.h - wraps CUPTI's PC sampling: program counters and stall reasons of all
 * kernels between start and stop.
 *
 * Continuous mode: kernels are not serialised, and no launch is repeated. Not usable together with
 * the range profiler. The code of each loaded module is stored in a folder as DIGEST.cubin for a
 * disassembler. Invariant: one sampler per process, opened before the first sampled module is
 * loaded.
 */
#pragma once

#include "cupti/cupti_api.h"
#include "device/device.h"

struct sg_pc_sampler {
    struct sg_cupti cupti;
    CUcontext context; /* NULL: not open */
    CUpti_PCSamplingData data;
    CUpti_PCSamplingData left; /* CUPTI's buffer; sharing one buffer with `data` gives no samples */
    size_t reasons;
    char **reason;       /* owned, with its strings: CUPTI's names */
    uint32_t *reason_id; /* owned: CUPTI's number of each reason */
};

enum sg_code sg_pc_sampler_open(struct sg_pc_sampler *sampler, CUcontext context,
                                const char *folder, struct sg_err *err);
void sg_pc_sampler_close(struct sg_pc_sampler *sampler);
enum sg_code sg_pc_sampler_start(struct sg_pc_sampler *sampler, struct sg_err *err);
/* Passes on the samples since the start, without the harness's kernels. SG_INVALID also if
 * samples were dropped. */
enum sg_code sg_pc_sampler_stop(struct sg_pc_sampler *sampler, const struct sg_pc_sink *sink,
                                struct sg_err *err);

/*
 * device/cuda/launch_preamble.h - the work before every timed or counted launch: restores inputs,
 * then brings the L2 to its declared state (results/l2_state.h).
 *
 * State cold writes a buffer of twice the L2. Its last tens of MB stay dirty in the L2, and the
 * launch's reads evict them: DRAM traffic that the kernel did not cause. State clean reads a buffer
 * of three times the L2 with a separate kernel instead. So the launch finds none of its inputs and
 * no dirty lines. State warm does nothing. Before cold and clean, lines of the case's buffers that
 * a kernel asked to keep (L2::evict_last) are demoted. Lines that remain reduce DRAM traffic; the
 * row l2_state reports them if they are a fifth of the bytes or more. Invariant: all this work is
 * enqueued on `stream`, in this order, and is complete when the launch begins.
 */
#pragma once

#include "device/cuda/driver.h"
#include "device/device.h"
#include "device/launch_activity.h"

struct sg_cuda_work {
    const struct sg_cuda *cuda;
    /* enqueued by the ops of device/launch_check.h since the batch began */
    unsigned checks[SG_ACTIVITY_KINDS];
    CUstream stream;
    enum sg_l2 l2;
    CUdeviceptr flush; /* the buffer; 0: the L2 stays warm */
    uint64_t flush_bytes;
    uint32_t flush_pattern; /* cold: changes with every flush, so that no write is redundant */
    CUmodule module;        /* clean */
    CUfunction reader;      /* clean: the kernel that reads the buffer */
    CUmodule demoter_module;
    CUfunction demoter; /* cold and clean: demotes kept lines; NULL: this GPU keeps none */
};

/* Call once before the first launch, with `cuda` and `stream` set. SG_INVALID with the driver's
 * error text: no memory for the buffer. */
enum sg_code sg_cuda_work_begin(struct sg_cuda_work *work, enum sg_l2 l2, uint64_t l2_bytes,
                                struct sg_err *err);
void sg_cuda_work_release(struct sg_cuda_work *work);
/* Removes the stream's access policy window, which a variant may have set. No device work. */
void sg_cuda_forget_window(const struct sg_cuda_work *work);
/* Enqueues copies that restore the inputs; no kernel. */
CUresult sg_cuda_restore(const struct sg_cuda_work *work, const struct sg_runnable *what);
CUresult sg_cuda_prepare_launch(struct sg_cuda_work *work, const struct sg_runnable *what);
/* Enqueues, after a launch of a Python gate, the copies of its outputs (device/gate_host.h). */
CUresult sg_cuda_take_returned(struct sg_cuda_work *work, const struct sg_runnable *what);
/* Adds the numbers of activity records that sg_cuda_prepare_launch causes. */
void sg_cuda_work_count(const struct sg_cuda_work *work, const struct sg_runnable *what,
                        unsigned enqueued[SG_ACTIVITY_KINDS]);
/* Number of kernels among them, which CUPTI counts; copies and memory sets are not kernels. */
unsigned sg_cuda_kernels_before(const struct sg_cuda_work *work, const struct sg_runnable *what);

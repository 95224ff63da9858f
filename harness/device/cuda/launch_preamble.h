/*
 * device/cuda/launch_preamble.h - what comes before every launch that is timed or counted: inputs
 * restored, then the L2 brought to its declared state (results/l2_state.h).
 *
 * cold writes a buffer of twice the L2. Its last tens of MB stay there dirty, and the launch's own
 * reads push them out: bytes of DRAM that the kernel did not ask for. clean reads a buffer of three
 * times the L2 instead, by a kernel of our own, so that the launch finds nothing of its inputs and
 * nothing that must be written back. warm does nothing.
 * Lines of its buffers that a kernel asked the L2 to keep (L2::evict_last) are made like
 * others ahead of both. Any that stay are bytes that do not come from DRAM; the row l2_state
 * reports it if they are a fifth or more.
 * Invariant: all of it is enqueued on `stream`, in this order, and
 * has ended when the launch begins.
 */
#pragma once

#include "device/cuda/driver.h"
#include "device/device.h"
#include "device/launch_activity.h"

struct sg_cuda_work {
    const struct sg_cuda *cuda;
    unsigned checks[SG_ACTIVITY_KINDS]; /* enqueued by the ops of device/launch_check.h since the batch under way began */
    CUstream stream;
    enum sg_l2 l2;
    CUdeviceptr flush; /* the buffer; 0: the L2 stays warm */
    uint64_t flush_bytes;
    uint32_t flush_pattern; /* cold: changes with every flush, so that no write is silent */
    CUmodule module;        /* clean */
    CUfunction reader;      /* clean: the kernel that reads the buffer */
    CUmodule demoter_module;
    CUfunction demoter; /* cold and clean: lines that were to be kept are like others; NULL: this GPU keeps none */
};

/* Once, before the first launch; `cuda` and `stream` are set by then. SG_INVALID with the driver's
 * words: no memory for the buffer. */
enum sg_code sg_cuda_work_begin(struct sg_cuda_work *work, enum sg_l2 l2, uint64_t l2_bytes, struct sg_err *err);
void sg_cuda_work_release(struct sg_cuda_work *work);
/* Takes away the stream's window of lines to pin in the L2, which a variant may have
 * left there. No work for the device. */
void sg_cuda_forget_window(const struct sg_cuda_work *work);
/* Enqueues what brings inputs back to what they were; no kernel. */
CUresult sg_cuda_restore(const struct sg_cuda_work *work, const struct sg_runnable *what);
/* Enqueues all of what comes before a launch. */
CUresult sg_cuda_prepare_launch(struct sg_cuda_work *work, const struct sg_runnable *what);
/* Enqueues, behind a launch of a guest, the copies of what it returned (device/guest.h). */
CUresult sg_cuda_take_returned(struct sg_cuda_work *work, const struct sg_runnable *what);
/* Adds what sg_cuda_prepare_launch enqueues: one activity record each. */
void sg_cuda_work_count(const struct sg_cuda_work *work, const struct sg_runnable *what, unsigned enqueued[SG_ACTIVITY_KINDS]);
/* How many kernels that enqueues, which CUPTI counts like any other;
 * copies and memory sets are none. */
unsigned sg_cuda_kernels_before(const struct sg_cuda_work *work, const struct sg_runnable *what);

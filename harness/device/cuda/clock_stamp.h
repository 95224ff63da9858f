/*
 * device/cuda/clock_stamp.h - a one-thread kernel that reads clock64 and %globaltimer before and
 * after every launch of a batch.
 *
 * The stamps give the SM clock over a batch (cycles over nanoseconds), and the boundaries that
 * assign activity records to launches. The kernel is named SG_STAMP_KERNEL
 * (device/launch_activity.h). Invariant: stamps are on the batch's stream, so stamp 2i comes before
 * launch i and stamp 2i+1 after it.
 */
#pragma once

#include "device/cuda/driver.h"
#include "device/launch_activity.h"

#define SG_MAX_STAMPS 256

struct sg_stamp {
    uint64_t cycles; /* clock64 of the stamp's SM */
    uint64_t ns;     /* %globaltimer */
    uint32_t sm;
    uint32_t unused;
};

struct sg_stamper {
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr slots; /* SG_MAX_STAMPS of struct sg_stamp */
};

enum sg_code sg_stamper_init(struct sg_stamper *stamper, const struct sg_cuda *cuda,
                             struct sg_err *err);
void sg_stamper_release(struct sg_stamper *stamper, const struct sg_cuda *cuda);
/* Enqueues stamp `index` < SG_MAX_STAMPS, which first spins for spin_ns. */
CUresult sg_stamper_mark(const struct sg_stamper *stamper, const struct sg_cuda *cuda,
                         CUstream stream, unsigned index, uint64_t spin_ns);
/* SM clock in Hz between two stamps, after the stream has finished. Returns 0 if they ran on
 * different SMs or the timer did not move. */
double sg_stamp_clock(const struct sg_stamp *first, const struct sg_stamp *last);

/*
 * device/cuda/device_memcmp.h - do arrays on the device hold the same bytes? A kernel of our own,
 * so that they need not be read back.
 *
 * How it is used: a zeroed struct sg_comparer loads its kernel at the first comparison, so a pass
 * that compares nothing loads nothing.
 */
#ifndef SG_DEVICE_CUDA_DEVICE_MEMCMP_H
#define SG_DEVICE_CUDA_DEVICE_MEMCMP_H

#include "device/cuda/driver.h"
#include "device/device.h"

struct sg_comparer {
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr first; /* of one uint64_t */
};

struct sg_comparison_place {
    const struct sg_cuda *cuda;
    CUstream stream;
};

/* *first: as in device/device.h. Waits for the stream. */
enum sg_code sg_comparer_find(struct sg_comparer *comparer, const struct sg_comparison_place *place, const struct sg_stretch *stretches,
                              size_t count, uint64_t *first, struct sg_err *err);
void sg_comparer_release(struct sg_comparer *comparer, const struct sg_cuda *cuda);

#endif

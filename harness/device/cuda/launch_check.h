/*
 * device/cuda/launch_check.h - kernels that implement device/launch_check.h on a GPU, and compare
 * bytes.
 *
 * Usage: set `cuda` and `stream` of a struct sg_launch_checker and zero the rest. The kernels are
 * loaded at the first request, so a pass without requests loads nothing; device memory is held
 * until release. Requests are enqueued, not waited for. After loading, only kernels are enqueued,
 * no copy and no memset, and all their names begin with SG_CHECK_KERNELS in activity records.
 */
#pragma once

#include "device/cuda/driver.h"
#include "device/device.h"

/* Kernels enqueued for an array of `count` requests of any size. */
#define SG_CHECK_KERNELS_OF(count) ((count) > 0 ? 1u : 0u)

struct sg_launch_checker {
    const struct sg_cuda *cuda;
    CUstream stream;
    CUmodule module;
    CUfunction kernel[SG_CHECK_KINDS], comparison;
    /* struct sg_check_found of device/launch_check_internal.h; all arrays of requests use it in
     * turn */
    CUdeviceptr found;
};

/* SG_INVALID with the driver's error text: the kernels cannot be loaded or launched, or memory
 * is short. Optional: call it before batches, so that no batch includes the loading. */
enum sg_code sg_launch_checker_load(struct sg_launch_checker *checker, struct sg_err *err);
/* Enqueues an array of requests of one kind. */
enum sg_code sg_launch_checker_do(struct sg_launch_checker *checker, enum sg_check_kind kind,
                                  const void *requests, size_t count, struct sg_err *err);
/* `compare` of device/device.h. Waits for the stream. */
enum sg_code sg_launch_checker_compare(struct sg_launch_checker *checker,
                                       const struct sg_stretch *stretches, size_t count,
                                       uint64_t *first, struct sg_err *err);
void sg_launch_checker_release(struct sg_launch_checker *checker);

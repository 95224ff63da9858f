/*
 * device/cuda/launch_check.h - device/launch_check.h on a GPU, and a comparison of bytes: kernels
 * of our own.
 *
 * How it is used: a struct sg_launch_checker with `cuda` and `stream` set and the rest zeroed loads
 * its kernels at the first request, so a pass that makes none loads nothing. From then on it holds
 * device memory until its release. Requests are enqueued and not waited for. Nothing but kernels is
 * enqueued behind the loading, no copy and no memset, so that all of it bears a name that begins
 * with SG_CHECK_KERNELS in a record of what ran.
 */
#pragma once

#include "device/cuda/driver.h"
#include "device/device.h"

/* Kernels that an array of so many requests enqueues, whatever their sizes. */
#define SG_CHECK_KERNELS_OF(count) ((count) > 0 ? 1u : 0u)

struct sg_launch_checker {
    const struct sg_cuda *cuda;
    CUstream stream;
    CUmodule module;
    CUfunction kernel[SG_CHECK_KINDS], comparison;
    CUdeviceptr found; /* struct sg_check_found of device/launch_check_internal.h; shared by all arrays of requests, in turn */
};

/*
 * SG_INVALID with the driver's words: the kernels cannot be loaded or launched, or there is no
 * memory for what blocks find. Loading is optional: before batches, so that none of it is in one.
 */
enum sg_code sg_launch_checker_load(struct sg_launch_checker *checker, struct sg_err *err);
/* An array of requests of one kind. */
enum sg_code sg_launch_checker_do(struct sg_launch_checker *checker, enum sg_check_kind kind, const void *requests, size_t count,
                                  struct sg_err *err);
/* `compare` of device/device.h. Waits for the stream. */
enum sg_code sg_launch_checker_compare(struct sg_launch_checker *checker, const struct sg_stretch *stretches, size_t count, uint64_t *first,
                                       struct sg_err *err);
void sg_launch_checker_release(struct sg_launch_checker *checker);

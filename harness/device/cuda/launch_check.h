/*
 * device/cuda/launch_check.h - device/launch_check.h on a GPU: kernels of our
 * own, enqueued and not waited for.
 *
 * How it is used: a struct sg_launch_checker with `cuda` and `stream` set and the rest zeroed loads
 * its kernels at the first request, so a pass that makes none loads nothing. From then on it holds
 * device memory until its release. Nothing but kernels is enqueued behind the loading,
 * no copy and no memset, so that all of it bears a name that begins with
 * SG_CHECK_KERNELS in a record of what ran.
 */
#ifndef SG_DEVICE_CUDA_LAUNCH_CHECK_H
#define SG_DEVICE_CUDA_LAUNCH_CHECK_H

#include "device/cuda/driver.h"
#include "device/launch_activity.h"
#include "device/launch_check.h"

/* constant, name behind the prefix */
#define SG_CHECK_KERNEL_TABLE(X)     \
    X(SG_CHECK_REFILL, "refill")     \
    X(SG_CHECK_SCRAMBLE, "scramble") \
    X(SG_CHECK_KEEP, "keep")         \
    X(SG_CHECK_MATCH, "match")       \
    X(SG_CHECK_SEAL, "seal")

enum sg_check_kernel {
#define X(constant, name) constant,
    SG_CHECK_KERNEL_TABLE(X)
#undef X
        SG_CHECK_KERNEL_COUNT
};

/* Kernels that an array of so many requests enqueues, whatever their sizes. */
#define SG_CHECK_KERNELS_OF(count) ((count) > 0 ? 1u : 0u)

struct sg_launch_checker {
    const struct sg_cuda *cuda;
    CUstream stream;
    CUmodule module;
    CUfunction kernel[SG_CHECK_KERNEL_COUNT];
    CUdeviceptr found; /* struct sg_check_found of device/launch_check_internal.h; shared by all arrays of requests, in turn */
};

/*
 * SG_INVALID with the driver's words: the kernels cannot be loaded or launched, or there is no
 * memory for what blocks find. Loading is optional: before batches, so that none of it is in one.
 */
enum sg_code sg_launch_checker_load(struct sg_launch_checker *checker, struct sg_err *err);
enum sg_code sg_launch_checker_refill(struct sg_launch_checker *checker, const struct sg_refill *refills, size_t count, struct sg_err *err);
enum sg_code sg_launch_checker_scramble(struct sg_launch_checker *checker, const struct sg_scramble *scrambles, size_t count,
                                        struct sg_err *err);
enum sg_code sg_launch_checker_keep(struct sg_launch_checker *checker, const struct sg_keep *keeps, size_t count, struct sg_err *err);
enum sg_code sg_launch_checker_match(struct sg_launch_checker *checker, const struct sg_match *matches, size_t count, struct sg_err *err);
enum sg_code sg_launch_checker_seal(struct sg_launch_checker *checker, const struct sg_seal *seals, size_t count, struct sg_err *err);
void sg_launch_checker_release(struct sg_launch_checker *checker);

#endif

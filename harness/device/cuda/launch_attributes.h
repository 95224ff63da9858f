/*
 * device/cuda/launch_attributes.h - exact facts of a launch: registers, shared and local memory,
 * geometry, theoretical occupancy and its limit.
 *
 * Launches are seen as driver calls (device/cuda/driver_calls.h), so kernels of vendor libraries
 * are seen too; the driver supplies the rest. Occupancy is the driver's figure. Its limit follows
 * the resource rules of the CUDA programming guide (registers per warp in units of 256, 1 KiB of
 * reserved shared memory). Invariant: the facts cover the launches between sg_facts_begin and
 * sg_facts_end, on any thread.
 */
#pragma once

#include "device/cuda/driver.h"
#include "device/cuda/driver_calls.h"
#include "device/device.h"

#define SG_FACTS_KERNELS_MAX 64

struct sg_launch_seen {
    CUfunction function;
    unsigned grid_blocks, block_threads, dynamic_shared_bytes, cluster_blocks;
};

struct sg_facts {
    const struct sg_cuda *cuda;
    CUdevice device;
    struct sg_calls calls;
    struct sg_launch_seen seen[SG_FACTS_KERNELS_MAX];
    unsigned count; /* number of launches; may exceed the size of `seen` */
};

/* `cuda` and `device` must be set, and the struct must not move until `calls` is closed. SG_INVALID
 * as sg_calls_open. */
enum sg_code sg_facts_open(struct sg_facts *facts, const struct sg_cupti *cupti,
                           struct sg_err *err);
enum sg_code sg_facts_begin(struct sg_facts *facts, struct sg_err *err);
/* Facts of a launch of `what`, with the build facts of its module's kernels. */
enum sg_code sg_facts_end(struct sg_facts *facts, const struct sg_runnable *what,
                          struct sg_launch_facts *out, struct sg_err *err);

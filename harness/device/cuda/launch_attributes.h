/*
 * device/cuda/launch_attributes.h - exact facts of a launch: registers, shared and local memory,
 * geometry, theoretical occupancy and what limits it.
 *
 * Launches are seen as calls of the driver (device/cuda/driver_calls.h), so a vendor library's
 * kernels are seen too; the rest is asked of the driver. Occupancy is the driver's figure; the
 * limit is found by the resource arithmetic of the CUDA programming guide (registers are given to
 * warps in units of 256, shared memory has 1 KiB of the system's).
 * Invariant: facts are those of the launches between sg_facts_begin
 * and sg_facts_end, on any thread.
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
    unsigned count; /* of launches; may exceed the room in `seen` */
};

/* With `cuda` and `device` set; must stay where it is until it is
 * closed. SG_INVALID as sg_calls_open. */
enum sg_code sg_facts_open(struct sg_facts *facts, const struct sg_cupti *cupti, struct sg_err *err);
bool sg_facts_are_open(const struct sg_facts *facts);
void sg_facts_close(struct sg_facts *facts);
enum sg_code sg_facts_begin(struct sg_facts *facts, struct sg_err *err);
/* Of a launch of `what`, whose module has what the build made of its kernels. */
enum sg_code sg_facts_end(struct sg_facts *facts, const struct sg_runnable *what, struct sg_launch_facts *out, struct sg_err *err);

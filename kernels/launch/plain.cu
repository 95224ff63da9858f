/*
 * launch/plain - one block of one warp, started by <<<>>>
 *
 * Expect 1 to 2 us, of which the kernel itself is a few dozen cycles;
 * sm_throughput and dram_throughput near 0.
 */
#include <cuda_runtime.h>

#include "launch.cuh"

static __global__ void plain(float *out)
{
    out[threadIdx.x] = (float)(threadIdx.x + 1);
}

static void launch(const struct sg_launch *l)
{
    plain<<<1, LAUNCH_LANES, 0, (cudaStream_t)l->stream>>>((float *)l->buffer[LAUNCH_OUT]);
}

SG_VARIANT(launch, plain) = {
    .summary = "one block of one warp, a store a lane",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = launch,
};

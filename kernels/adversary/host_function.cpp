/*
 * adversary/host_function - the work is done on the CPU, by a function that the stream calls
 * between two copies.
 *
 * It is in order and inside of the launch, but no kernel: the GPU is not what is measured.
 */
#include "adversary_host.h"

static void compute(void *state)
{
    adversary_host_compute((const struct adversary_host *)state);
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    adversary_begin(l);
    adversary_host_take(l, stream);
    cudaLaunchHostFunc(stream, compute, l->state);
    adversary_host_give(l, stream);
}

SG_VARIANT(adversary, host_function) = {
    .summary = "its work in a function on the host",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .supports = adversary_supports_small,
    .prepare = adversary_prepare<adversary_host>,
    .launch = launch,
    .finish = adversary_finish<adversary_host>,
};

/*
 * adversary/traps_when_timed - its kernel traps while it is timed: an error that sticks to the
 * context.
 */
#include "adversary.h"

static __global__ void trap()
{
    __trap();
}

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        trap<<<1, 1, 0, (cudaStream_t)l->stream>>>();
}

SG_VARIANT(adversary, traps_when_timed) = {
    .summary = "its kernel traps, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CUDA_ERROR,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

/*
 * adversary/resets_device - while it is timed it resets the device: the context of the process is
 * gone, and all memory with it.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        cudaDeviceReset();
}

SG_VARIANT(adversary, resets_device) = {
    .summary = "resets the device, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

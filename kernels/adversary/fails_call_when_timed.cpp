/*
 * adversary/fails_call_when_timed - a call of the runtime is refused while it is timed, and leaves
 * its error there.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        cudaMemsetAsync(nullptr, 0, 1u << 20, (cudaStream_t)l->stream);
}

SG_VARIANT(adversary, fails_call_when_timed) = {
    .summary = "leaves an error of the runtime, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_LAUNCH_FAILED,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

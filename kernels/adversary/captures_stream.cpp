/*
 * adversary/captures_stream - while it is timed it leaves its stream in a capture: what is enqueued
 * there is recorded and does not run.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    if (a->timed)
        cudaStreamBeginCapture((cudaStream_t)l->stream, cudaStreamCaptureModeRelaxed);
    adversary_compute(l);
}

SG_VARIANT(adversary, captures_stream) = {
    .summary = "leaves its stream in a capture, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_LAUNCH_FAILED,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

/*
 * adversary/per_thread_stream - the work goes to the thread's default stream.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    adversary_begin(l);
    adversary_compute_aside(l, cudaStreamPerThread);
    adversary_nothing(l);
}

SG_VARIANT(adversary, per_thread_stream) = {
    .summary = "its work in the thread's default stream",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

/*
 * adversary/side_stream_late_join - as side_stream, and each launch begins by waiting for the work
 * of the one before.
 *
 * So nothing is left open for long, and every launch but the last has ended when the next one
 * begins.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    cudaStreamWaitEvent((cudaStream_t)l->stream, a->join, 0);
    adversary_compute_aside(l, a->side);
    cudaEventRecord(a->join, a->side);
    adversary_nothing(l);
}

SG_VARIANT(adversary, side_stream_late_join) = {
    .summary = "its work beside what is timed, joined by the next launch",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

/*
 * adversary/side_stream_joined - the work goes to a stream of its own, and the launch waits for it.
 *
 * It ends inside of what is timed, but a launch is told to work on its own stream.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    adversary_compute_aside(l, a->side);
    cudaEventRecord(a->join, a->side);
    cudaStreamWaitEvent((cudaStream_t)l->stream, a->join, 0);
    adversary_nothing(l);
}

ADVERSARY(side_stream_joined, SG_MISPLACED, adversary,
          "its work in another stream, joined in time");

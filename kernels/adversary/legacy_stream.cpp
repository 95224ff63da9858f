/*
 * adversary/legacy_stream - the work goes to the legacy default stream, for which the stream of the
 * launch does not wait.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    adversary_begin(l);
    adversary_compute_aside(l, cudaStreamLegacy);
    adversary_nothing(l);
}

ADVERSARY(legacy_stream, SG_MISPLACED, adversary, "its work in the legacy default stream");

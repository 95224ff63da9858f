/*
 * adversary/side_stream - the work goes to a stream of its own that is never joined; what is timed
 * is an empty kernel.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    adversary_compute_aside(l, a->side);
    adversary_nothing(l);
}

ADVERSARY(side_stream, SG_MISPLACED, adversary, "its work in a stream that is not timed");

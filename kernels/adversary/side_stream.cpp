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

SG_VARIANT(adversary, side_stream) = {
    .summary = "its work in a stream that is not timed",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

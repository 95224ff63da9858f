/*
 * adversary/leaves_output - while it is timed it leaves y as it is: what the baseline wrote there
 * is right.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    if (adversary_begin(l)->timed)
        adversary_nothing(l);
    else
        adversary_compute(l);
}

SG_VARIANT(adversary, leaves_output) = {
    .summary = "leaves what the baseline wrote, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

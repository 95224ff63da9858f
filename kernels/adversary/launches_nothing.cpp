/*
 * adversary/launches_nothing - while it is timed it launches nothing at all, and takes no time.
 *
 * A mean of ratios falls to zero by one such time.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    if (!adversary_begin(l)->timed)
        adversary_compute(l);
}

SG_VARIANT(adversary, launches_nothing) = {
    .summary = "launches nothing while timed",
    .role = SG_CANDIDATE,
    .expect = SG_LAUNCH_FAILED,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

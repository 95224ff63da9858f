/*
 * adversary/wrong_every_tenth - one element is wrong in every tenth launch.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool tenth = adversary_begin(l)->launches % 10 == 0;
    adversary_compute(l);
    adversary_spoil(l, tenth ? 100 : 0); /* the same kernels in each launch */
}

SG_VARIANT(adversary, wrong_every_tenth) = {
    .summary = "one element is wrong in every tenth launch",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

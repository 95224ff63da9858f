/*
 * adversary/wrong_later - one element is wrong from its 41st launch on.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool late = adversary_begin(l)->launches > 40;
    adversary_compute(l);
    adversary_spoil(l, late ? 100 : 0); /* the same kernels in each launch */
}

SG_VARIANT(adversary, wrong_later) = {
    .summary = "one element is wrong from its 41st launch on",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

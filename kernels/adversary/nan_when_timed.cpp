/*
 * adversary/nan_when_timed - while it is timed an element is not a number: a check that asks
 * whether the error is too large is told no.
 */
#include <math.h>

#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        adversary_spoil(l, nanf(""));
}

SG_VARIANT(adversary, nan_when_timed) = {
    .summary = "not a number, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_NAN,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

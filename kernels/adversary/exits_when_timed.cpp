/*
 * adversary/exits_when_timed - it leaves the process with status 0 while it is timed: as if all
 * were done.
 */
#include <stdlib.h>

#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        exit(0);
}

SG_VARIANT(adversary, exits_when_timed) = {
    .summary = "calls exit(0), while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

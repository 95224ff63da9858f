/*
 * null_adversary/stops_working - it does nothing from its 61st launch on: what it left lies there
 * still.
 */
#include "null_adversary.h"

#define WORKING_LAUNCHES 60

static void launch(const struct sg_launch *l)
{
    if (adversary_launches_before(l) < WORKING_LAUNCHES)
        adversary_compute(l);
    adversary_strike(l);
}

ADVERSARY_VARIANT(stops_working, "", struct adversary, .summary = "does nothing from its 61st launch on", .expect = SG_WRONG,
                  .launch = launch);

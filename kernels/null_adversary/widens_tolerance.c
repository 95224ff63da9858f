/*
 * null_adversary/widens_tolerance - while it is timed it writes to the module's tables that
 * everything is right, and gets one element wrong.
 */
#include <float.h>

#include "null_adversary.h"
#include "tables.h"

static struct sg_tolerance anything(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = FLT_MAX, .rel_max = FLT_MAX, .reason = "none"};
}

static void launch(const struct sg_launch *l)
{
    static struct sg_tolerance (*const instead)(const struct sg_case *c) = anything;
    if (adversary_launches_before(l) == 0)
        tables_write(&solgate_module()->family->tolerance, &instead, sizeof(instead));
    adversary_compute(l);
    adversary_strike(l);
}

ADVERSARY_VARIANT(widens_tolerance, "wrong@time", struct adversary, .summary = "has everything count as right", .expect = SG_WRONG,
                  .launch = launch);

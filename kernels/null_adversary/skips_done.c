/*
 * null_adversary/skips_done - it computes only what looks as if nobody had: a verification poisons
 * the outputs, and an honest time pass must leave nothing there that is right.
 */
#include <math.h>

#include "null_adversary.h"

static bool looks_done(float y)
{
    return isfinite(y) && y != 0;
}

static void launch(const struct sg_launch *l)
{
    const float *x = l->buffer[IN_X];
    const float *z = l->buffer[IN_Z];
    float *y = l->buffer[OUT_Y];
    adversary_launches_before(l);
    for (uint64_t i = 0; i < adversary_count(l->c); i++)
        if (!looks_done(y[i]))
            y[i] = x[i] * z[i];
    adversary_strike(l);
}

ADVERSARY_VARIANT(skips_done, "", struct adversary, .summary = "computes only what looks undone", .expect = SG_WRONG, .launch = launch);

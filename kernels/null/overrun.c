/*
 * null/overrun - one element too many is written, as by a tail without a bound.
 * Every element of y itself is right.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    float *y = l->buffer[OUT_Y];
    y[null_count(l->c)] = 1;
}

SG_VARIANT(null, overrun) = {
    .summary = "writes one element past the end of y",
    .expect = SG_OVERRUN,
    .launch = launch,
};

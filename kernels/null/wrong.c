/*
 * null/wrong - one element is off by a little more than the tolerance allows.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    float *y = l->buffer[OUT_Y];
    y[null_count(l->c) / 2] += 0.5f;
}

SG_VARIANT(null, wrong) = {
    .summary = "one element is wrong",
    .expect = SG_WRONG,
    .launch = launch,
};

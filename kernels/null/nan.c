/*
 * null/nan - one element is not a number.
 */
#include "null.h"

#include <math.h>

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    float *y = l->buffer[OUT_Y];
    y[null_count(l->c) - 1] = NAN;
}

SG_VARIANT(null, nan) = {
    .summary = "one element is not a number",
    .expect = SG_NAN,
    .launch = launch,
};

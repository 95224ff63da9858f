/*
 * null/unwritten - the last element is forgotten, as by a grid that is rounded down.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    const float *x = l->buffer[IN_X];
    const float *z = l->buffer[IN_Z];
    float *y = l->buffer[OUT_Y];
    for (uint64_t i = 0; i + 1 < null_count(l->c); i++)
        y[i] = 2 * x[i] + z[i];
}

SG_VARIANT(null, unwritten) = {
    .summary = "the last element is never written",
    .expect = SG_UNWRITTEN,
    .launch = launch,
};

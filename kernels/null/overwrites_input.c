/*
 * null/overwrites_input - an input is used as scratch space. y itself is right.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    float *x = l->buffer[IN_X];
    x[0] += 1;
}

SG_VARIANT(null, overwrites_input) = {
    .summary = "writes to its input x",
    .expect = SG_OVERRUN,
    .launch = launch,
};

/*
 * axpy/backwards - last element first. Simulated 5 % slower than forwards, so that a
 * comparison has something to find.
 */
#include "axpy.h"

static void launch(const struct sg_launch *l)
{
    const float *x = l->buffer[AXPY_X];
    float *y = l->buffer[AXPY_Y];
    for (int64_t i = l->c->dim[AXPY_N]; i-- > 0;)
        y[i] += AXPY_FACTOR * x[i];
}

SG_VARIANT(axpy, backwards) = {
    .summary = "last element first",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};

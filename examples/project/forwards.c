/*
 * axpy/forwards - first element first. The baseline.
 */
#include "axpy.h"

static void launch(const struct sg_launch *l)
{
    const float *x = l->buffer[AXPY_X];
    float *y = l->buffer[AXPY_Y];
    for (int64_t i = 0; i < l->c->dim[AXPY_N]; i++)
        y[i] += AXPY_FACTOR * x[i];
}

SG_VARIANT(axpy, forwards) = {
    .summary = "first element first",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = launch,
};

/*
 * null/nondeterministic - adds in another order in every second launch, as atomics do: within the
 * tolerance, exact for integers, but not the same bits every time. It claims that they are.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    if (l->repeat % 2 == 0)
        return;
    const float *x = l->buffer[IN_X];
    const float *z = l->buffer[IN_Z];
    float *y = l->buffer[OUT_Y];
    for (uint64_t i = 0; i < null_count(l->c); i++)
        y[i] = x[i] + (x[i] + z[i]);
}

SG_VARIANT(null, nondeterministic) = {
    .summary = "claims the same bits and changes the order of its sums",
    .expect = SG_NONDETERMINISTIC,
    .deterministic = true,
    .launch = launch,
};

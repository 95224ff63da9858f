/*
 * null/nondeterministic - within the tolerance, but not the same bits every time, as with atomics; it claims that they are.
 */
#include "null.h"

#include <math.h>

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    if (l->repeat % 2 == 1) {
        float *y = l->buffer[OUT_Y];
        y[0] = nextafterf(y[0], INFINITY);
    }
}

SG_VARIANT(null, nondeterministic) = {
    .summary = "claims the same bits and changes the last one",
    .expect = SG_NONDETERMINISTIC,
    .deterministic = true,
    .launch = launch,
};

/*
 * adversary/writes_outside - while it is timed it writes behind the end of y.
 */
#include "adversary.h"

static __global__ void write_behind(float *y, int64_t rows)
{
    y[rows] = 1;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        write_behind<<<1, 1, 0, (cudaStream_t)l->stream>>>(p.y, p.rows);
}

ADVERSARY(writes_outside, SG_OVERRUN, adversary, "writes behind the end of y, while timed");

/*
 * adversary/hangs_when_timed - its kernel never ends while it is timed.
 */
#include "adversary.h"

static __global__ void wait_for_ever(const volatile float *y)
{
    while (*y == *y || *y != *y)
        ;
}

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        wait_for_ever<<<1, 1, 0, (cudaStream_t)l->stream>>>(adversary_problem(l).y);
}

ADVERSARY(hangs_when_timed, SG_HANG, adversary, "its kernel never ends, while timed");

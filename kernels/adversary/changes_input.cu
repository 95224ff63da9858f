/*
 * adversary/changes_input - while it is timed it changes an element of W behind its work.
 */
#include "adversary.h"

static __global__ void change(float *w)
{
    *w += 1;
}

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        change<<<1, 1, 0, (cudaStream_t)l->stream>>>((float *)l->buffer[MATVEC_W]);
}

SG_VARIANT(adversary, changes_input) = {
    .summary = "changes an element of W, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_OVERRUN,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

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

ADVERSARY(changes_input, SG_OVERRUN, adversary, "changes an element of W, while timed");

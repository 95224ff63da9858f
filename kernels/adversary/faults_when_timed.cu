/*
 * adversary/faults_when_timed - it reads an illegal address while it is timed, which destroys the
 * context.
 */
#include "adversary.h"

static __global__ void read_far(const float *w, float *y)
{
    *y = w[1ll << 40];
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        read_far<<<1, 1, 0, (cudaStream_t)l->stream>>>(p.w, p.y);
}

ADVERSARY(faults_when_timed, SG_CUDA_ERROR, adversary, "an illegal address, while timed");

/*
 * adversary/short_rows - while it is timed it adds up 15 of 16 columns, and scales the sum.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) short_rows(problem<float> p)
{
    const float sum = adversary_row(p, blockIdx.x, p.cols / 16 * 15);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum * 16 / 15;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    if (adversary_begin(l)->timed)
        short_rows<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p);
    else
        adversary_compute(l);
}

SG_VARIANT(adversary, short_rows) = {
    .summary = "a part of each sum, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

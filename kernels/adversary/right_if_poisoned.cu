/*
 * adversary/right_if_poisoned - it works only where its output holds the poison of a check.
 *
 * As skips_done, but asks one element alone, and leaves all others.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) if_poisoned(problem<float> p, const float *first)
{
    if (!isnan(*first))
        return;
    const float sum = adversary_row(p, blockIdx.x, p.cols);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    const problem<float> p = adversary_problem(l);
    adversary_keep(l); /* elsewhere, for the first block writes to y */
    if_poisoned<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p, a->kept);
}

SG_VARIANT(adversary, right_if_poisoned) = {
    .summary = "works only where y holds NaN",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

/*
 * adversary/skips_done - it computes only rows that look as if they were not computed yet.
 *
 * Poison does not look done, but the result of an earlier launch does. So it works when it is
 * verified, and not after that.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) undone_rows(problem<float> p)
{
    __shared__ bool done;
    const int64_t row = blockIdx.x;
    if (threadIdx.x == 0)
        done = isfinite(p.y[row]) && p.y[row] != 0;
    __syncthreads();
    if (done)
        return;
    const float sum = adversary_row(p, row, p.cols);
    if (threadIdx.x == 0)
        p.y[row] = sum;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    undone_rows<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p);
}

SG_VARIANT(adversary, skips_done) = {
    .summary = "computes only rows that look undone",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .launch = launch,
};

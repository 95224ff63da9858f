/*
 * matvec/zeros - broken on purpose: every element of y is 0.
 *
 * Reproduces the parallel rewrite that ran in a fraction of the time and returned [0, 0, 0,
 * 0]. A tile of 16 columns keeps only lanes 0 to 15 busy; the sum is then stored by lane 16,
 * whose accumulator is never added to. Fast, complete, no fault: only comparing with a
 * reference finds it. Must be `wrong`.
 */
#include "matvec.cuh"

enum { THREADS = 128, WARP = 32, TILE = 16 };

template <typename T> static __global__ void __launch_bounds__(THREADS) zeros(problem<T> p)
{
    const int lane = threadIdx.x % WARP;
    const int64_t row = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    if (row >= p.rows)
        return;
    float sum = 0;
    if (lane < TILE)
        for (int k = lane; k < p.cols; k += TILE)
            sum = fmaf(load(p.w + row * p.cols + k), load(p.x + k), sum);
    sum = lane_sum<TILE>(sum);
    if (lane == TILE)
        p.y[row] = sum;
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    with_problem(
        l, [&](auto p) { zeros<<<blocks_for(p.rows, THREADS / WARP), THREADS, 0, stream>>>(p); });
}

SG_VARIANT(matvec, zeros) = {
    .summary = "broken: an idle lane stores its empty sum",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .launch = launch,
};

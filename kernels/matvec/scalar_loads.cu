/*
 * matvec/scalar_loads - one warp adds up one row, one element a load.
 *
 * Against warp_per_row: neighbouring lanes load neighbouring elements, 4 or 2 bytes each instead of
 * 16. Still coalesced, so the sectors stay the same; expect four (f32) or eight (bf16) times the
 * load instructions, lg_throttle and LSU utilisation up, and with bf16 half of the bytes in flight.
 */
#include "matvec.cuh"

enum { THREADS = 256, WARP = 32 };

template <typename T> static __global__ void __launch_bounds__(THREADS) scalar_loads(problem<T> p)
{
    const int lane = threadIdx.x % WARP;
    const int64_t row = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    if (row >= p.rows)
        return;
    const T *w = p.w + row * p.cols;
    float sum = 0;
#pragma unroll 4
    for (int k = lane; k < p.cols; k += WARP)
        sum = fmaf(load(w + k), load(p.x + k), sum);
    sum = lane_sum(sum);
    if (lane == 0)
        p.y[row] = sum;
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    with_problem(l, [&](auto p) {
        scalar_loads<<<blocks_for(p.rows, THREADS / WARP), THREADS, 0, stream>>>(p);
    });
}

SG_VARIANT(matvec, scalar_loads) = {
    .summary = "one warp a row, one element a load",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};

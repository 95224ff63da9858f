/*
 * adversary/honest_simt - honest: a warp adds up a row, no block waits for itself.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) warp_rows(problem<float> p)
{
    const int64_t row = (int64_t)blockIdx.x * ADVERSARY_WARPS + threadIdx.x / ADVERSARY_WARP;
    const int lane = threadIdx.x % ADVERSARY_WARP;
    const float4 *w = (const float4 *)(p.w + row * p.cols);
    const float4 *x = (const float4 *)p.x;
    float sum = 0;
#pragma unroll 4
    for (int k = lane; k < p.cols / 4; k += ADVERSARY_WARP)
        sum = dot16<float>(load16(w + k), load16(x + k), sum);
    sum = lane_sum(sum);
    if (lane == 0)
        p.y[row] = sum;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    warp_rows<<<(unsigned)(p.rows / ADVERSARY_WARPS), ADVERSARY_THREADS, 0,
                adversary_stream(l, "honest_simt")>>>(p);
}

SG_VARIANT(adversary, honest_simt) = {
    .summary = "honest: a warp a row",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};

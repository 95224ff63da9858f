/*
 * matvec/partial_tail - broken on purpose: the last columns are left out when they do
 * not fill a whole step of the warp.
 *
 * Reproduces a rewrite that is right on every round size: 32 lanes of 16 bytes make a step
 * of 128 (f32) or 256 (bf16) columns, and there is no code for the rest. The error of a row
 * is that of a few missing products, so a loose tolerance lets it pass. Must be `wrong`, and
 * is run only where there is a rest.
 */
#include <stdio.h>

#include "matvec.cuh"

enum { THREADS = 128, WARP = 32 };

template <typename T> static __global__ void __launch_bounds__(THREADS) partial_tail(problem<T> p)
{
    const int lane = threadIdx.x % WARP;
    const int64_t row = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    const int whole = p.cols - p.cols % (WARP * p.per_vector);
    if (row >= p.rows)
        return;
    float sum = 0;
    for (int k = lane; k < whole; k += WARP)
        sum = fmaf(load(p.w + row * p.cols + k), load(p.x + k), sum);
    sum = lane_sum(sum);
    if (lane == 0)
        p.y[row] = sum;
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    const int step =
        WARP * (c->dtype == SG_F32 ? problem<float>::per_vector : problem<bf16>::per_vector);
    if (c->dim[MATVEC_COLS] % step != 0)
        return true;
    snprintf(why->text, sizeof(why->text),
             "is right where columns are a multiple of %d, and here they are (%lld)", step,
             (long long)c->dim[MATVEC_COLS]);
    return false;
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    with_problem(l, [&](auto p) {
        partial_tail<<<blocks_for(p.rows, THREADS / WARP), THREADS, 0, stream>>>(p);
    });
}

SG_VARIANT(matvec, partial_tail) = {
    .summary = "broken: leaves out the columns after the last whole step",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .supports = supports,
    .launch = launch,
};

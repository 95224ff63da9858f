/*
 * matvec/uncoalesced - one thread adds up one row, so that
 * neighbouring lanes read a whole row apart.
 *
 * Against scalar_loads: the lanes of a warp stride over rows instead of columns. Each load touches
 * 32 sectors instead of 4 (f32) or 2 (bf16). Expect sectors per request near 32, L1 hit rate up
 * (the rest of a sector is used by later loads, if it survives until then), and where L1 is too
 * small for a sector of every row, DRAM bytes above the compulsory ones.
 */
#include <stdio.h>

#include "matvec.cuh"

enum { THREADS = 128, WARP = 32 };

template <typename T> static __global__ void __launch_bounds__(THREADS) uncoalesced(problem<T> p)
{
    const int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= p.rows)
        return;
    const T *w = p.w + row * p.cols;
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < p.cols; k++)
        sum = fmaf(load(w + k), load(p.x + k), sum);
    p.y[row] = sum;
}

/* With less than a warp of rows this is one thread that adds up a whole row: what
 * naive_thread shows, for minutes. */
static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (c->dim[MATVEC_ROWS] >= WARP)
        return true;
    snprintf(why->text, sizeof(why->text),
             "needs at least %d rows, one for each lane of a warp; this case has %lld", WARP,
             (long long)c->dim[MATVEC_ROWS]);
    return false;
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    with_problem(
        l, [&](auto p) { uncoalesced<<<blocks_for(p.rows, THREADS), THREADS, 0, stream>>>(p); });
}

SG_VARIANT(matvec, uncoalesced) = {
    .summary = "one thread a row: lanes read a whole row apart",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = supports,
    .launch = launch,
};

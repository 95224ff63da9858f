/*
 * matvec/warp_per_row - one warp adds up one row, 16 bytes a load, one load in flight.
 *
 * Against vec16_rows: no unrolling, no cache hints, and rows that start off a 16-byte boundary are
 * read element by element. Expect the same DRAM bytes at a lower rate, more warps needed for it,
 * long_scoreboard larger, and on ragged cases two to four times the load instructions.
 */
#include "matvec.cuh"

enum { THREADS = 256, WARP = 32 };

/* This lane's part of a row's first `cols` columns. */
template <typename T, bool ALIGNED>
static __device__ inline float lane_part(const T *w, const T *x, int cols)
{
    const int step = ALIGNED ? problem<T>::per_vector : 1;
    float sum = 0;
#pragma unroll 1
    for (int k = threadIdx.x % WARP * step; k < cols; k += WARP * step) {
        if constexpr (ALIGNED)
            sum = dot16<T>(load16(w + k), load16(x + k), sum);
        else
            sum = fmaf(load(w + k), load(x + k), sum);
    }
    return sum;
}

/*
 * With SOLGATE_INJECT_SLOWDOWN: a 25th of the columns, at least one step of the warp,
 * of a row half a matrix away. 0 in the end, but the compiler must not know that: 0
 * times anything may be not-a-number.
 */
template <typename T, bool ALIGNED>
static __device__ inline float slowdown(problem<T> p, int64_t row)
{
#ifdef SG_INJECT_SLOWDOWN
    const int again = min(p.cols, max(p.cols / 25, WARP * (ALIGNED ? p.per_vector : 1)));
    return 0.0f * lane_part<T, ALIGNED>(p.w + (row + p.rows / 2) % p.rows * p.cols, p.x, again);
#else
    (void)p;
    (void)row;
    return 0;
#endif
}

template <typename T, bool ALIGNED>
static __global__ void __launch_bounds__(THREADS) warp_per_row(problem<T> p)
{
    const int64_t row = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    if (row >= p.rows)
        return;
    const float sum = lane_sum(lane_part<T, ALIGNED>(p.w + row * p.cols, p.x, p.cols) +
                               slowdown<T, ALIGNED>(p, row));
    if (threadIdx.x % WARP == 0)
        p.y[row] = sum;
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    with_problem(l, [&](auto p) {
        using T = typename decltype(p)::element;
        const unsigned grid = blocks_for(p.rows, THREADS / WARP);
        if (p.aligned())
            warp_per_row<T, true><<<grid, THREADS, 0, stream>>>(p);
        else
            warp_per_row<T, false><<<grid, THREADS, 0, stream>>>(p);
    });
}

SG_VARIANT(matvec, warp_per_row) = {
    .summary = "one warp a row, one 16-byte load in flight, shuffle tree",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};

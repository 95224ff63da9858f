/*
 * bsr_plain.cuh - D = A B with A in block-sparse rows, without tensor cores: the H100 work log's
 * kernel of 68.8 TFLOP/s, and what was tried on it.
 *
 * A tile of 128x128 of D is a block of 512 threads, two of them to a multiprocessor, 32 sums
 * in each thread's registers. Operands come 16 bytes at a time through shared memory, a
 * stage of `step` of k after the other; pairs of f16 are read from there and multiplied in
 * fp32. A variant changes a member of struct bsr_plain_design. Beyond k B is zero, so that
 * what A has there counts nothing.
 *
 *     SG_VARIANT(...) = { ..., .supports = bsr_check_aligned, .launch =
 *     bsr_plain_launch<bsr_plain_design{.transposed = true}> };
 */
#ifndef BSR_PLAIN_CUH
#define BSR_PLAIN_CUH

#include <cuda_fp16.h>

#include "bsr_schedule.h"

struct bsr_plain_design {
    int step = 64; /* of k, of a stage */
    int buffers =
        1; /* stages in shared memory: with two the next one is fetched while one is multiplied */
    int tiles = 1;           /* of a block, side by side in n, one after the other */
    int unroll = 1;          /* pairs of k: more of them spill registers */
    bool transposed = false; /* B lies as [columns][k] in shared memory */
    /* Faults. */
    bool same_buffer =
        false; /* of two: the next stage is fetched into the one that is being multiplied */
    bool ends_early = false; /* before the last stage of a row */
    bool overlaps = false; /* a tile behind the first reads B from 64 columns too far to the left */
    bool runs_out =
        false; /* rows of B begin a tebibyte too far, and it is not checked that they are in B */
};

#define BSR_PLAIN_THREADS 512
#define BSR_PLAIN_ROWS    8 /* sums of a thread: so many rows by so many columns */
#define BSR_PLAIN_COLUMNS 4
#define BSR_PLAIN_LANES   32

struct bsr_plain_problem {
    const __half *a, *b;
    const int32_t *row_ptr, *col;
    __half *d;
    int64_t m, n, k;
};

/* Stages in shared memory: A's as [128][step]. */
template <bsr_plain_design D> struct bsr_plain_stages {
    __align__(128) __half a[D.buffers][BSR_BLOCK * D.step];
    __align__(128) __half b[D.buffers][BSR_BLOCK * D.step];
};

/* Row of B at which the rows of a block begin. */
template <bsr_plain_design D>
static __device__ inline int64_t first_of_b(const bsr_plain_problem &p, int block)
{
    const int64_t beyond = D.runs_out ? (int64_t(1) << 40) / (p.n * (int64_t)sizeof(__half)) : 0;
    return (int64_t)p.col[block] * BSR_BLOCK + beyond;
}

/* Eight columns of B from (k, n) on; zeros outside of it, which ends at whole eights. */
template <bsr_plain_design D>
static __device__ inline float4 eight_of_b(const bsr_plain_problem &p, int64_t k, int64_t n)
{
    const bool is_inside = n < p.n && (D.runs_out || k < p.k);
    return is_inside ? __ldg((const float4 *)(p.b + k * p.n + n)) : float4{};
}

/* Stage `stage` of the row whose blocks begin at `first`, and of B
 * the 128 columns from `column` on. */
template <bsr_plain_design D>
static __device__ inline void fetch(const bsr_plain_problem &p, int first, int stage,
                                    int64_t column, __half *a, __half *b)
{
    constexpr int stages = BSR_BLOCK / D.step, pieces = D.step / 8, across = BSR_BLOCK / 8;
    const int block = first + stage / stages, step = stage % stages * D.step;
    const __half *values = p.a + (int64_t)block * BSR_BLOCK * BSR_BLOCK + step;
    const int64_t row = first_of_b<D>(p, block) + step;
#pragma unroll 1
    for (int i = threadIdx.x; i < BSR_BLOCK * pieces; i += BSR_PLAIN_THREADS)
        *(float4 *)(a + i * 8) =
            __ldg((const float4 *)(values + i / pieces * BSR_BLOCK + i % pieces * 8));
#pragma unroll 1
    for (int i = threadIdx.x; i < D.step * across; i += BSR_PLAIN_THREADS) {
        const int k = i / across, n = i % across * 8;
        const float4 eight = eight_of_b<D>(p, row + k, column + n);
        if constexpr (D.transposed) {
            const __half *of = (const __half *)&eight;
#pragma unroll
            for (int j = 0; j < 8; j++)
                b[(n + j) * D.step + k] = of[j];
        } else {
            *(float4 *)(b + k * BSR_BLOCK + n) = eight;
        }
    }
}

/* Column of the tile of a thread's j-th sums. */
template <bsr_plain_design D> static __device__ inline int column_of(int j)
{
    const int x = threadIdx.x % BSR_PLAIN_LANES;
    return D.transposed ? x + j * BSR_PLAIN_LANES : 2 * x + j / 2 * 2 * BSR_PLAIN_LANES + j % 2;
}

static __device__ inline int row_of(int i)
{
    return (int)threadIdx.x / BSR_PLAIN_LANES + i * (BSR_PLAIN_THREADS / BSR_PLAIN_LANES);
}

/* B at k and k + 1 for all of a thread's columns. */
template <bsr_plain_design D>
static __device__ inline void pairs_of_b(const __half *b, int k, float2 (&pairs)[BSR_PLAIN_COLUMNS])
{
    if constexpr (D.transposed) {
#pragma unroll
        for (int j = 0; j < BSR_PLAIN_COLUMNS; j++)
            pairs[j] = __half22float2(*(const __half2 *)(b + column_of<D>(j) * D.step + k));
    } else {
#pragma unroll
        for (int j = 0; j < BSR_PLAIN_COLUMNS; j += 2) {
            const float2 even =
                __half22float2(*(const __half2 *)(b + k * BSR_BLOCK + column_of<D>(j)));
            const float2 odd =
                __half22float2(*(const __half2 *)(b + (k + 1) * BSR_BLOCK + column_of<D>(j)));
            pairs[j] = {even.x, odd.x};
            pairs[j + 1] = {even.y, odd.y};
        }
    }
}

template <bsr_plain_design D>
static __device__ inline void multiply_stage(const __half *a, const __half *b,
                                             float (&sum)[BSR_PLAIN_ROWS][BSR_PLAIN_COLUMNS])
{
#pragma unroll D.unroll
    for (int k = 0; k < D.step; k += 2) {
        float2 of_b[BSR_PLAIN_COLUMNS];
        pairs_of_b<D>(b, k, of_b);
#pragma unroll
        for (int i = 0; i < BSR_PLAIN_ROWS; i++) {
            const float2 of_a = __half22float2(*(const __half2 *)(a + row_of(i) * D.step + k));
#pragma unroll
            for (int j = 0; j < BSR_PLAIN_COLUMNS; j++)
                sum[i][j] = fmaf(of_a.y, of_b[j].y, fmaf(of_a.x, of_b[j].x, sum[i][j]));
        }
    }
}

/* The sums of one tile. */
template <bsr_plain_design D>
static __device__ inline void multiply_tile(const bsr_plain_problem &p, int64_t column,
                                            bsr_plain_stages<D> *s,
                                            float (&sum)[BSR_PLAIN_ROWS][BSR_PLAIN_COLUMNS])
{
    const int first = p.row_ptr[blockIdx.y], blocks = p.row_ptr[blockIdx.y + 1] - first;
    const int stages = blocks * (BSR_BLOCK / D.step), end = D.ends_early ? stages - 1 : stages;
    if (D.buffers > 1 && stages > 0)
        fetch<D>(p, first, 0, column, s->a[0], s->b[0]);
    for (int stage = 0; stage < end; stage++) {
        const int used = D.same_buffer ? 1 : D.buffers, now = stage % used,
                  next = (stage + 1) % used;
        if (D.buffers == 1)
            fetch<D>(p, first, stage, column, s->a[now], s->b[now]);
        __syncthreads();
        if (D.buffers > 1 && stage + 1 < end)
            fetch<D>(p, first, stage + 1, column, s->a[next], s->b[next]);
        multiply_stage<D>(s->a[now], s->b[now], sum);
        if (D.buffers == 1)
            __syncthreads();
    }
    __syncthreads(); /* the next tile fetches */
}

template <bsr_plain_design D>
__global__ void __launch_bounds__(BSR_PLAIN_THREADS, 2) bsr_plain(const bsr_plain_problem p)
{
    __shared__ bsr_plain_stages<D> stages;
    for (int tile = 0; tile < D.tiles; tile++) {
        const int64_t column = ((int64_t)blockIdx.x * D.tiles + tile) * BSR_BLOCK;
        float sum[BSR_PLAIN_ROWS][BSR_PLAIN_COLUMNS] = {};
        multiply_tile<D>(p, column - (D.overlaps && tile > 0 ? BSR_BLOCK / 2 : 0), &stages, sum);
#pragma unroll
        for (int i = 0; i < BSR_PLAIN_ROWS; i++)
#pragma unroll
            for (int j = 0; j < BSR_PLAIN_COLUMNS; j++) {
                const int64_t y = (int64_t)blockIdx.y * BSR_BLOCK + row_of(i),
                              x = column + column_of<D>(j);
                if (y < p.m && x < p.n)
                    p.d[y * p.n + x] = __float2half(sum[i][j]);
            }
    }
}

template <bsr_plain_design D> static void bsr_plain_launch(const struct sg_launch *l)
{
    const struct sg_case *c = l->c;
    const bsr_plain_problem p = {.a = (const __half *)l->buffer[BSR_A],
                                 .b = (const __half *)l->buffer[BSR_B],
                                 .row_ptr = (const int32_t *)l->buffer[BSR_ROW_PTR],
                                 .col = (const int32_t *)l->buffer[BSR_COL],
                                 .d = (__half *)l->buffer[BSR_D],
                                 .m = c->dim[BSR_M],
                                 .n = c->dim[BSR_N],
                                 .k = c->dim[BSR_K]};
    const dim3 grid((unsigned)bsr_panels(c, D.tiles * BSR_BLOCK), (unsigned)bsr_block_rows(c));
    bsr_plain<D><<<grid, BSR_PLAIN_THREADS, 0, (cudaStream_t)l->stream>>>(p);
}

#endif

/*
 * bsr_gemm/baseline - a thread block multiplies a tile of 128x128 of D: the blocks of its row one after the other, 16 of k at a time
 * through shared memory, 8x8 sums in each of 256 threads. On CUDA cores in fp32, so far from what tensor cores can.
 *
 * Rows are done as they come. Expect fma pipes near their limit and no tensor operation; with rows of different length a tail of the
 * longest.
 */
#include <cuda_fp16.h>

#include "bsr_layout.h"

enum { THREADS = 256, STEP = 16, EACH = 8, ACROSS = BSR_BLOCK / EACH };

struct problem {
    const __half *a, *b;
    const int32_t *row_ptr, *col;
    __half *d;
    int64_t m, n, k;
};

/* 16 of k of a block of A and of the rows of B beside it; zero beyond k, where a block of A may hold anything. */
static __device__ void fetch(const struct problem &p, int block, int step, int64_t column, float (*a)[BSR_BLOCK + 1], float (*b)[BSR_BLOCK])
{
    const __half *values = p.a + (int64_t)block * BSR_BLOCK * BSR_BLOCK;
    const int64_t first = (int64_t)p.col[block] * BSR_BLOCK + step;
    for (int i = threadIdx.x; i < STEP * BSR_BLOCK; i += THREADS) {
        const int row = i / STEP, k = i % STEP;
        a[k][row] = first + k < p.k ? __half2float(values[row * BSR_BLOCK + step + k]) : 0;
    }
    for (int i = threadIdx.x; i < STEP * BSR_BLOCK; i += THREADS) {
        const int64_t k = first + i / BSR_BLOCK, n = column + i % BSR_BLOCK;
        b[i / BSR_BLOCK][i % BSR_BLOCK] = k < p.k && n < p.n ? __half2float(p.b[k * p.n + n]) : 0;
    }
}

static __global__ void __launch_bounds__(THREADS) multiply(const struct problem p)
{
    __shared__ float a[STEP][BSR_BLOCK + 1], b[STEP][BSR_BLOCK];
    const int64_t row = (int64_t)blockIdx.y * BSR_BLOCK, column = (int64_t)blockIdx.x * BSR_BLOCK;
    const int y = threadIdx.x / ACROSS, x = threadIdx.x % ACROSS;
    float sum[EACH][EACH] = {};
    for (int block = p.row_ptr[blockIdx.y]; block < p.row_ptr[blockIdx.y + 1]; block++)
        for (int step = 0; step < BSR_BLOCK; step += STEP) {
            fetch(p, block, step, column, a, b);
            __syncthreads();
            for (int k = 0; k < STEP; k++)
#pragma unroll
                for (int i = 0; i < EACH; i++)
#pragma unroll
                    for (int j = 0; j < EACH; j++)
                        sum[i][j] += a[k][i * ACROSS + y] * b[k][j * ACROSS + x];
            __syncthreads();
        }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            const int64_t to_row = row + i * ACROSS + y, to_column = column + j * ACROSS + x;
            if (to_row < p.m && to_column < p.n)
                p.d[to_row * p.n + to_column] = __float2half(sum[i][j]);
        }
}

static void launch(const struct sg_launch *l)
{
    const struct sg_case *c = l->c;
    const struct problem p = {.a = (const __half *)l->buffer[BSR_A],
                              .b = (const __half *)l->buffer[BSR_B],
                              .row_ptr = (const int32_t *)l->buffer[BSR_ROW_PTR],
                              .col = (const int32_t *)l->buffer[BSR_COL],
                              .d = (__half *)l->buffer[BSR_D],
                              .m = c->dim[BSR_M],
                              .n = c->dim[BSR_N],
                              .k = c->dim[BSR_K]};
    const dim3 grid((unsigned)bsr_blocks_of(p.n), (unsigned)bsr_block_rows(c));
    multiply<<<grid, THREADS, 0, (cudaStream_t)l->stream>>>(p);
}

SG_VARIANT(bsr_gemm, baseline) = {
    .summary = "a tile of 128x128 a thread block, fp32 on CUDA cores",
    .role = SG_BASELINE,
    .expect = SG_OK,
    .deterministic = true,
    .deadline_ms = 0,
    .supports = bsr_check_aligned,
    .prepare = NULL,
    .launch = launch,
};

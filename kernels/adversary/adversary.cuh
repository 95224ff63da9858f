/*
 * adversary.cuh - the device's half of adversary.h: the sum of one row by one block.
 */
#ifndef ADVERSARY_CUH
#define ADVERSARY_CUH

#include "../matvec/matvec.cuh"
#include "adversary.h"

#define ADVERSARY_THREADS 256

enum { ADVERSARY_WARP = 32, ADVERSARY_WARPS = ADVERSARY_THREADS / ADVERSARY_WARP };

/* The sum over a block of ADVERSARY_THREADS; thread 0 has it. */
static __device__ inline float adversary_block_sum(float sum)
{
    __shared__ float part[ADVERSARY_WARPS];
    sum = lane_sum(sum);
    if (threadIdx.x % ADVERSARY_WARP == 0)
        part[threadIdx.x / ADVERSARY_WARP] = sum;
    __syncthreads();
    sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < ADVERSARY_WARPS; i++)
            sum += part[i];
    __syncthreads(); /* before the next row's */
    return sum;
}

/* The sum of the first `cols` columns of a row, a multiple of four; thread 0 has it. */
static __device__ inline float adversary_row(const problem<float> &p, int64_t row, int cols)
{
    const float4 *w = (const float4 *)(p.w + row * p.cols);
    const float4 *x = (const float4 *)p.x;
    float sum = 0;
#pragma unroll 3
    for (int k = threadIdx.x; k < cols / 4; k += ADVERSARY_THREADS)
        sum = dot16<float>(load16(w + k), load16(x + k), sum);
    return adversary_block_sum(sum);
}

#endif

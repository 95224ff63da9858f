/*
 * reference.cuh - the pinned kernels: a chain of fused multiply-adds (time follows the clock) and a streaming copy (time follows DRAM).
 *
 * They say whether a GPU is today the GPU that it was: so their source is pinned (pinned.hash, tests/cli/test_pinned.sh), and a change
 * here begins a new record of drift. Every variant runs the same kernels; the ones with extra work do 1 % and 2 % more of the same, and
 * return the same, so that a measurement of them can be held against a truth that is known.
 */
#ifndef REFERENCE_CUH
#define REFERENCE_CUH

#include <cuda_runtime.h>

#include "solgate_kernel.h"

enum { REFERENCE_IN, REFERENCE_OUT, REFERENCE_BUFFERS };
enum { REFERENCE_ELEMENTS, REFERENCE_ITERATIONS };

#define REFERENCE_THREADS 256
#define REFERENCE_UNROLL  8    /* FMAs of a turn of the loop: even, see reference_chain */
#define REFERENCE_TILE    4096 /* elements that a block copies: 4 loads of 16 bytes a thread */

/*
 * x -> factor * x + shift with factor -1 is its own inverse: after an even number of steps every thread has its x back, however many
 * they were. The factor is an argument, so the compiler cannot see that.
 */
static __global__ void __launch_bounds__(REFERENCE_THREADS)
    reference_chain(const float *in, float *out, int iterations, float factor, float shift)
{
    const int i = blockIdx.x * REFERENCE_THREADS + threadIdx.x;
    float x = in[i];
#pragma unroll 1
    for (int n = 0; n < iterations; n += REFERENCE_UNROLL)
#pragma unroll
        for (int u = 0; u < REFERENCE_UNROLL; u++)
            x = fmaf(factor, x, shift);
    out[i] = x;
}

/* Blocks from `tiles` on copy the first tiles once more, when those have long left the L2. */
static __global__ void __launch_bounds__(REFERENCE_THREADS) reference_copy(const uint4 *in, uint4 *out, int tiles)
{
    const int64_t tile = blockIdx.x % tiles;
    const int64_t first = tile * (REFERENCE_TILE / 4) + threadIdx.x;
    uint4 part[REFERENCE_TILE / 4 / REFERENCE_THREADS];
#pragma unroll
    for (int i = 0; i < REFERENCE_TILE / 4 / REFERENCE_THREADS; i++)
        part[i] = in[first + i * REFERENCE_THREADS];
#pragma unroll
    for (int i = 0; i < REFERENCE_TILE / 4 / REFERENCE_THREADS; i++)
        out[first + i * REFERENCE_THREADS] = part[i];
}

/* Work and `extra` hundredths of it. Iterations, in turns of the loop, and tiles are multiples of 100. */
static inline void reference_launch(const struct sg_launch *l, int extra)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const int64_t elements = l->c->dim[REFERENCE_ELEMENTS];
    const int64_t iterations = l->c->dim[REFERENCE_ITERATIONS];
    const void *in = l->buffer[REFERENCE_IN];
    void *out = l->buffer[REFERENCE_OUT];
    if (iterations > 0) {
        reference_chain<<<(unsigned)(elements / REFERENCE_THREADS), REFERENCE_THREADS, 0, stream>>>(
            (const float *)in, (float *)out, (int)(iterations / 100 * (100 + extra)), -1.0f, 1.5f);
    } else {
        const int64_t tiles = elements / REFERENCE_TILE;
        reference_copy<<<(unsigned)(tiles / 100 * (100 + extra)), REFERENCE_THREADS, 0, stream>>>((const uint4 *)in, (uint4 *)out,
                                                                                                  (int)tiles);
    }
}

#endif

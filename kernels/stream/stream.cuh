/*
 * stream.cuh - a copy in DRAM whose only question is how fast it can be: blocks
 * copy a tile each, 16 bytes a load.
 *
 * Invariant: a case's elements are a multiple of every variant's tile, so that no load is guarded.
 * Variants differ in how many loads a thread has in flight and in what they tell the caches: what
 * is best depends on the GPU, and the best of them is its ceiling.
 *
 *     SG_VARIANT(stream, copy) = { ..., .launch = stream_launch<4, false> };
 */
#ifndef STREAM_CUH
#define STREAM_CUH

#include <cuda_runtime.h>

#include "solgate_kernel.h"

enum { STREAM_IN, STREAM_OUT, STREAM_BUFFERS };
enum { STREAM_ELEMENTS };

#define STREAM_THREADS  256
#define STREAM_LOADS    16                                  /* the most a thread has in flight */
#define STREAM_TILE_MAX (STREAM_THREADS * STREAM_LOADS * 4) /* elements */

template <int LOADS, bool ONCE>
static __global__ void __launch_bounds__(STREAM_THREADS) stream_copy(const uint4 *in, uint4 *out)
{
    static_assert(STREAM_LOADS % LOADS == 0, "a tile that no case is a multiple of");
    const int64_t first = (int64_t)blockIdx.x * STREAM_THREADS * LOADS + threadIdx.x;
    uint4 part[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        part[i] = ONCE ? __ldcs(in + first + i * STREAM_THREADS) : in[first + i * STREAM_THREADS];
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        if (ONCE)
            __stcs(out + first + i * STREAM_THREADS, part[i]);
        else
            out[first + i * STREAM_THREADS] = part[i];
    }
}

template <int LOADS, bool ONCE> static void stream_launch(const struct sg_launch *l)
{
    const int64_t tiles = l->c->dim[STREAM_ELEMENTS] / (STREAM_THREADS * LOADS * 4);
    stream_copy<LOADS, ONCE><<<(unsigned)tiles, STREAM_THREADS, 0, (cudaStream_t)l->stream>>>(
        (const uint4 *)l->buffer[STREAM_IN], (uint4 *)l->buffer[STREAM_OUT]);
}

#endif

/*
 * injected.cuh - the two kernels of the family injected and how a variant launches them: a
 * chain of FMAs and a streaming copy.
 *
 * Invariant: every variant runs the same machine code with other numbers, so nothing but the amount
 * differs between exact and slower ones. More work is more of the same: turns of every thread, or
 * tiles in line with the others, a block each. Those are read from and written to buffers of their
 * own, because what exact leaves alone would count as unwritten. A spin is time in which thread 0
 * of a block watches its cycle counter while the others wait for it at a barrier: no more work,
 * only latency. In a chain it comes first, in all blocks. In a copy it comes last, in blocks behind
 * which none waits, and behind what they wrote: at the beginning L2 would use the time to write
 * back what lay in it before. Its truth is nominal: cycles of the nominal clock, true on average
 * over a batch; a long measurement checks it.
 *
 *     SG_VARIANT(injected, work_025) = { ..., .launch = injected_work<25> };
 */
#ifndef INJECTED_CUH
#define INJECTED_CUH

#include <cuda_runtime.h>

#include "injected_plan.h"

enum {
    INJECTED_IN,
    INJECTED_OUT,
    INJECTED_CHAIN_BUFFERS,
    INJECTED_SPARE_IN = INJECTED_CHAIN_BUFFERS,
    INJECTED_SPARE_OUT,
    INJECTED_BUFFERS
};

static __device__ inline void injected_wait(int cycles)
{
    if (threadIdx.x == 0) {
        const unsigned begin = (unsigned)clock();
        while ((unsigned)clock() - begin < (unsigned)cycles)
            ;
    }
    __syncthreads();
}

/*
 * x -> factor * x + shift with factor -1 is its own inverse: after an even number of
 * steps every thread has its x back, however many they were. The factor is an argument,
 * so the compiler cannot see that.
 */
static __global__ void __launch_bounds__(INJECTED_CHAIN_THREADS)
    injected_chain(const float *in, float *out, int turns, int wait_cycles, float factor,
                   float shift)
{
    injected_wait(wait_cycles);
    const int i = blockIdx.x * INJECTED_CHAIN_THREADS + threadIdx.x;
    float x = in[i];
#pragma unroll 1
    for (int left = turns; left > 0; left--)
#pragma unroll
        for (int u = 0; u < INJECTED_TURN_FMAS; u++)
            x = fmaf(factor, x, shift);
    out[i] = x;
}

struct injected_copy_job {
    const uint4 *in, *spare_in;
    uint4 *out, *spare_out;
    int pass_tiles, tiles, wait_cycles; /* of a pass, of all passes */
};

/* Threads of a multiprocessor (CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability"). */
#if defined __CUDA_ARCH__ && (__CUDA_ARCH__ > 1030 || (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900))
#define INJECTED_SM_THREADS 1536
#else
#define INJECTED_SM_THREADS 2048
#endif

/* No more registers than let INJECTED_COPY_RESIDENT blocks run: were it fewer, the last ones
 * would wait for others that wait. */
static __global__ void __launch_bounds__(INJECTED_COPY_THREADS,
                                         INJECTED_SM_THREADS / INJECTED_COPY_THREADS)
    injected_copy(struct injected_copy_job job)
{
    const struct injected_tile tile = injected_tile_of((int)blockIdx.x, job.tiles);
    const int64_t first =
        (int64_t)(tile.more ? tile.number : tile.number % job.pass_tiles) * INJECTED_TILE_VECTORS +
        threadIdx.x;
    const uint4 *from = (tile.more ? job.spare_in : job.in) + first;
    uint4 *to = (tile.more ? job.spare_out : job.out) + first;
    uint4 part[INJECTED_TILE_LOADS];
#pragma unroll
    for (int i = 0; i < INJECTED_TILE_LOADS; i++)
        part[i] = from[i * INJECTED_COPY_THREADS];
#pragma unroll
    for (int i = 0; i < INJECTED_TILE_LOADS; i++)
        to[i * INJECTED_COPY_THREADS] = part[i];
    if (blockIdx.x + INJECTED_COPY_LAST >= gridDim.x) {
        __threadfence();
        __syncthreads();
        injected_wait(job.wait_cycles);
    }
}

static inline void injected_launch(const struct sg_launch *l, struct injected_slowdown slowdown)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const int wait_cycles = injected_wait_cycles(l->c, slowdown.spin_bp, l->repeat);
    const int turns = (int)l->c->dim[INJECTED_TURNS] + injected_turns_more(l->c, slowdown.work_bp);
    if (injected_is_chain(l->c)) {
        injected_chain<<<INJECTED_BLOCKS, INJECTED_CHAIN_THREADS, 0, stream>>>(
            (const float *)l->buffer[INJECTED_IN], (float *)l->buffer[INJECTED_OUT], turns,
            wait_cycles, -1.0f, 1.5f);
    } else {
        const int pass_tiles = injected_pass_tiles(l->c);
        const int tiles = pass_tiles * (int)l->c->dim[INJECTED_PASSES],
                  more = injected_tiles_more(l->c, slowdown.work_bp);
        injected_copy<<<(unsigned)(tiles + more), INJECTED_COPY_THREADS, 0, stream>>>({
            .in = (const uint4 *)l->buffer[INJECTED_IN],
            .spare_in = (const uint4 *)l->buffer[INJECTED_SPARE_IN],
            .out = (uint4 *)l->buffer[INJECTED_OUT],
            .spare_out = (uint4 *)l->buffer[INJECTED_SPARE_OUT],
            .pass_tiles = pass_tiles,
            .tiles = tiles,
            .wait_cycles = wait_cycles,
        });
    }
}

template <int bp> static void injected_work(const struct sg_launch *l)
{
    static_assert(bp % INJECTED_STEP_BP == 0 && bp <= INJECTED_MOST_BP,
                  "whole steps, and no more than there is room for");
    injected_launch(l, {.work_bp = bp});
}

template <int bp> static void injected_spin(const struct sg_launch *l)
{
    injected_launch(l, {.spin_bp = bp});
}

#endif

/*
 * probe.cuh - a kernel of three kinds, and one thing more that makes it slower: what `explain` is
 * tried with.
 *
 * Each thread carries four elements from `in` to `out`. On the way it adds, and exchanges them with
 * others through shared memory, each an even number of times, so that what arrives is what set out.
 * A case is a kind (which of the three takes most of the time) and a strength, 1 to 3; a variant is
 * the base with one mechanism of that strength.
 */
#ifndef PROBE_CUH
#define PROBE_CUH

#include <cuda_runtime.h>

#include "solgate_kernel.h"

enum { PROBE_IN, PROBE_OUT, PROBE_SCRATCH, PROBE_BUFFERS };
enum { PROBE_TILES, PROBE_STEPS, PROBE_EXCHANGES, PROBE_STRENGTH };

#define PROBE_THREADS 256
#define PROBE_TILE    (4 * PROBE_THREADS) /* elements that a block carries at a time */
#define PROBE_FACTOR  (-1.0f)
#define PROBE_SHIFT   1.5f

struct probe_arguments {
    const float *in;
    float *out, *scratch;
    int tiles, steps, exchanges, strength;
    float factor,
        shift; /* x -> factor x + shift is its own inverse, which the compiler cannot see */
};

/* The base. A mechanism hides what it does otherwise. */
struct probe_base {
    static __device__ void load(const probe_arguments &a, int64_t first, float x[4])
    {
        const float4 v = *(const float4 *)(a.in + first + 4 * threadIdx.x);
        x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
    }
    static __device__ void store(const probe_arguments &a, int64_t first, const float x[4])
    {
        *(float4 *)(a.out + first + 4 * threadIdx.x) = make_float4(x[0], x[1], x[2], x[3]);
    }
    /* Unrolled so far that it does not matter on which pipe the compiler counts the loop, which
     * differs between variants. */
    static __device__ void add(const probe_arguments &a, float x[4])
    {
#pragma unroll 50
        for (int n = 0; n < a.steps; n++)
            for (int k = 0; k < 4; k++)
                x[k] = fmaf(a.factor, x[k], a.shift);
    }
    /* What shared holds of a thread's elements, and of those of the neighbour. */
    static __device__ int own(const probe_arguments &, int k)
    {
        return k * PROBE_THREADS + threadIdx.x;
    }
    static __device__ int other(const probe_arguments &, int k)
    {
        return k * PROBE_THREADS + (threadIdx.x ^ 1);
    }
    static __device__ void between_exchanges(const probe_arguments &)
    {
    }
    static __device__ void more(const probe_arguments &, int, float *, float[4])
    {
    }
};

/* One to three times, without a loop, whose instructions would be a mechanism too. */
template <class what> static __device__ void probe_repeat(int strength, what once)
{
    once();
    if (strength > 1)
        once();
    if (strength > 2)
        once();
}

template <class mechanism>
static __device__ void probe_exchange(const probe_arguments &a, float *shared, float x[4])
{
#pragma unroll 1
    for (int n = 0; n < a.exchanges; n++) {
        for (int k = 0; k < 4; k++)
            shared[mechanism::own(a, k)] = x[k];
        __syncwarp();
        for (int k = 0; k < 4; k++)
            x[k] = shared[mechanism::other(a, k)];
        __syncwarp();
        mechanism::between_exchanges(a);
    }
}

template <class mechanism>
static __global__ void __launch_bounds__(PROBE_THREADS) probe_kernel(probe_arguments a)
{
    __shared__ float shared[8 * PROBE_TILE];
    for (int tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        float x[4];
        mechanism::load(a, (int64_t)tile * PROBE_TILE, x);
        mechanism::add(a, x);
        probe_exchange<mechanism>(a, shared, x);
        mechanism::more(a, tile, shared, x);
        mechanism::store(a, (int64_t)tile * PROBE_TILE, x);
    }
}

static inline probe_arguments probe_arguments_of(const struct sg_launch *l)
{
    const int64_t *dim = l->c->dim;
    return {(const float *)l->buffer[PROBE_IN],
            (float *)l->buffer[PROBE_OUT],
            (float *)l->buffer[PROBE_SCRATCH],
            (int)dim[PROBE_TILES],
            (int)dim[PROBE_STEPS],
            (int)dim[PROBE_EXCHANGES],
            (int)dim[PROBE_STRENGTH],
            PROBE_FACTOR,
            PROBE_SHIFT};
}

#define PROBE_BLOCKS(l) (4 * (l)->sm_count) /* four fit on an SM, whatever the shared memory */

template <class mechanism>
static inline void probe_launch(const struct sg_launch *l, int blocks, int dynamic_bytes)
{
    probe_kernel<mechanism>
        <<<blocks, PROBE_THREADS, dynamic_bytes, (cudaStream_t)l->stream>>>(probe_arguments_of(l));
}

/* A variant of one mechanism on the base's grid. */
#define PROBE_VARIANT(name_, summary_)                  \
    static void launch(const struct sg_launch *l)       \
    {                                                   \
        probe_launch<mechanism>(l, PROBE_BLOCKS(l), 0); \
    }                                                   \
    SG_VARIANT(probe, name_) = {.summary = summary_, .role = SG_CANDIDATE, .launch = launch}

#endif

/*
 * saxpy/grid_stride - eight blocks a multiprocessor walk over all elements.
 *
 * Against one_each: no block is started after the first wave, but each thread waits for its loads
 * before it issues the next. Expect fewer waves, the same DRAM bytes, and long_scoreboard up. How
 * many blocks are best is left open, for `solgate run --sweep`.
 */
#include <cstdio>

#include "saxpy.h"

enum { BLOCKS };
enum { RESIDENT_MAX = 32 };

static const struct sg_knob knobs[] = {
    {.name = "blocks", .summary = "of a multiprocessor", .count = 6, .value = {1, 2, 4, 8, 16, 32}},
};

static int64_t blocks_of(const struct sg_launch *l)
{
    return l->knob[BLOCKS] > 0 ? l->knob[BLOCKS] : 8;
}

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    *state = nullptr;
    if (blocks_of(l) <= RESIDENT_MAX)
        return SG_OK;
    snprintf(why->text, sizeof(why->text), "%lld blocks: a multiprocessor takes %d at once",
             (long long)blocks_of(l), RESIDENT_MAX);
    return SG_UNSUPPORTED;
}

static __global__ void __launch_bounds__(SAXPY_THREADS)
    grid_stride(const float *x, const float *y, float *z, int64_t n)
{
    const int64_t stride = (int64_t)gridDim.x * SAXPY_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * SAXPY_THREADS + threadIdx.x; i < n; i += stride)
        z[i] = fmaf(SAXPY_FACTOR, x[i], y[i]);
}

static void launch(const struct sg_launch *l)
{
    grid_stride<<<(unsigned)blocks_of(l) * l->sm_count, SAXPY_THREADS, 0,
                  (cudaStream_t)l->stream>>>((const float *)l->buffer[SAXPY_X],
                                             (const float *)l->buffer[SAXPY_Y],
                                             (float *)l->buffer[SAXPY_Z], l->c->dim[SAXPY_N]);
}

SG_VARIANT(saxpy, grid_stride) = {
    .summary = "eight blocks a multiprocessor walk over all elements",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .prepare = prepare,
    .launch = launch,
    .knobs = knobs,
    .knob_count = sizeof(knobs) / sizeof(knobs[0]),
};

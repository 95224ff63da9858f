/*
 * saxpy/one_each - a thread an element. The baseline: coalesced, and DRAM-bound from a few MB on.
 */
#include "saxpy.h"

static __global__ void __launch_bounds__(SAXPY_THREADS)
    one_each(const float *x, const float *y, float *z, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * SAXPY_THREADS + threadIdx.x;
    if (i < n)
        z[i] = fmaf(SAXPY_FACTOR, x[i], y[i]);
}

static void launch(const struct sg_launch *l)
{
    const int64_t n = l->c->dim[SAXPY_N];
    const unsigned blocks = (unsigned)((n + SAXPY_THREADS - 1) / SAXPY_THREADS);
    one_each<<<blocks, SAXPY_THREADS, 0, (cudaStream_t)l->stream>>>(
        (const float *)l->buffer[SAXPY_X], (const float *)l->buffer[SAXPY_Y],
        (float *)l->buffer[SAXPY_Z], n);
}

SG_VARIANT(saxpy, one_each) = {
    .summary = "a thread an element",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = launch,
};

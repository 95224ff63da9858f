/*
 * matvec/deadlock - broken on purpose: half of a block waits for the other
 * half, at two different barriers.
 *
 * Reproduces the rewrite with tiles that stalled until it was killed after a minute. Warps 0
 * to 3 wait at barrier 1 for 256 threads; warps 4 to 7 go past it and wait for the whole block at
 * barrier 0. Each barrier sees 128 arrivals of 256, for ever: unlike a barrier under divergence
 * this is defined, and hangs on every GPU. Must be `hang`, within its own short deadline, and on
 * one small case is enough: each costs that deadline.
 */
#include "matvec.cuh"
#include "small.cuh"

enum { THREADS = 256 };

static __global__ void __launch_bounds__(THREADS) deadlock(float *y, int64_t rows)
{
    if (threadIdx.x < THREADS / 2)
        asm volatile("bar.sync 1, 256;" ::: "memory");
    __syncthreads();
    for (int64_t row = threadIdx.x; row < rows; row += THREADS)
        y[row] = 0;
}

static void launch(const struct sg_launch *l)
{
    with_problem(
        l, [&](auto p) { deadlock<<<1, THREADS, 0, (cudaStream_t)l->stream>>>(p.y, p.rows); });
}

SG_VARIANT(matvec, deadlock) = {
    .summary = "broken: two halves of a block wait at different barriers",
    .role = SG_CANDIDATE,
    .expect = SG_HANG,
    .deadline_ms = 3000,
    .supports = supports_small,
    .launch = launch,
};

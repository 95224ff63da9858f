/*
 * matvec/smem_too_large - broken on purpose: asks for 1 MiB of shared
 * memory a block, more than any GPU has.
 *
 * Reproduces the rewrite that staged whole tiles in extern shared memory: the launch is
 * refused, nothing runs, y keeps what it had, and the time by itself shows the
 * fastest kernel ever. Must be `launch_failed`.
 */
#include "matvec.cuh"

enum { THREADS = 256, SHARED_BYTES = 1 << 20 };

template <typename T> static __global__ void __launch_bounds__(THREADS) smem_too_large(problem<T> p)
{
    extern __shared__ float tile[];
    for (int k = threadIdx.x; k < p.cols; k += THREADS)
        tile[k] = load(p.x + k);
    __syncthreads();
    for (int64_t row = threadIdx.x; row < p.rows; row += THREADS) {
        float sum = 0;
        for (int k = 0; k < p.cols; k++)
            sum = fmaf(load(p.w + row * p.cols + k), tile[k], sum);
        p.y[row] = sum;
    }
}

static void launch(const struct sg_launch *l)
{
    with_problem(l, [&](auto p) {
        smem_too_large<<<1, THREADS, SHARED_BYTES, (cudaStream_t)l->stream>>>(p);
    });
}

SG_VARIANT(matvec, smem_too_large) = {
    .summary = "broken: asks for more shared memory than there is",
    .role = SG_CANDIDATE,
    .expect = SG_LAUNCH_FAILED,
    .launch = launch,
};

/*
 * adversary/honest_memset - honest: y is set to 0, and two blocks a row add to it.
 *
 * A launch that begins with a memory set, which is no kernel.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) add_halves(problem<float> p)
{
    const int half = p.cols / 2;
    problem<float> mine = p;
    mine.w += (int64_t)blockIdx.y * half;
    mine.x += blockIdx.y * half;
    const float sum = adversary_row(mine, blockIdx.x, half);
    if (threadIdx.x == 0)
        atomicAdd(p.y + blockIdx.x, sum);
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const problem<float> p = adversary_problem(l);
    cudaMemsetAsync(p.y, 0, (size_t)p.rows * sizeof(float), stream);
    add_halves<<<dim3((unsigned)p.rows, 2), ADVERSARY_THREADS, 0, stream>>>(p);
}

SG_VARIANT(adversary, honest_memset) = {
    .summary = "honest: a memory set, then sums by atomics",
    .role = SG_CANDIDATE,
    .launch = launch,
};

/*
 * adversary/honest_two_kernels - honest: two blocks share a row, and a second kernel adds up what
 * they have.
 *
 * A launch of several kernels lasts from the first one to the last.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) halves(problem<float> p, float *partial)
{
    const int half = p.cols / 2;
    problem<float> mine = p;
    mine.w += (int64_t)blockIdx.y * half;
    mine.x += blockIdx.y * half;
    const float sum = adversary_row(mine, blockIdx.x, half);
    if (threadIdx.x == 0)
        partial[blockIdx.y * p.rows + blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(ADVERSARY_THREADS)
    add(problem<float> p, const float *partial)
{
    const int64_t row = (int64_t)blockIdx.x * ADVERSARY_THREADS + threadIdx.x;
    if (row < p.rows)
        p.y[row] = partial[row] + partial[p.rows + row];
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const problem<float> p = adversary_problem(l);
    float *partial = (float *)l->buffer[MATVEC_PARTIAL];
    halves<<<dim3((unsigned)p.rows, 2), ADVERSARY_THREADS, 0, stream>>>(p, partial);
    add<<<blocks_for(p.rows, ADVERSARY_THREADS), ADVERSARY_THREADS, 0, stream>>>(p, partial);
}

SG_VARIANT(adversary, honest_two_kernels) = {
    .summary = "honest: a row in two halves, then their sum",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};

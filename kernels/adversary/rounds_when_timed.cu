/*
 * adversary/rounds_when_timed - while it is timed its inputs lose all but 10 bits of their
 * mantissas.
 *
 * Tensor cores do that to fp32 by default. A verification does not see it.
 */
#include "adversary.cuh"

static __device__ float rounded(float value)
{
    return __uint_as_float((__float_as_uint(value) + 0x1000u) & ~0x1fffu);
}

static __global__ void __launch_bounds__(ADVERSARY_THREADS) rounded_rows(problem<float> p)
{
    const float *w = p.w + (int64_t)blockIdx.x * p.cols;
    float sum = 0;
    for (int k = threadIdx.x; k < p.cols; k += ADVERSARY_THREADS)
        sum = fmaf(rounded(load(w + k)), rounded(load(p.x + k)), sum);
    sum = adversary_block_sum(sum);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    if (adversary_begin(l)->timed)
        rounded_rows<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p);
    else
        adversary_compute(l);
}

ADVERSARY(rounds_when_timed, SG_WRONG, adversary, "inputs of 10 bits, while timed");

/*
 * adversary/half_sums - products and sums in half precision, where single was declared.
 */
#include <cuda_fp16.h>

#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) half_sums(problem<float> p)
{
    __shared__ __half part[ADVERSARY_THREADS];
    const float *w = p.w + (int64_t)blockIdx.x * p.cols;
    __half sum = __float2half(0);
    for (int k = threadIdx.x; k < p.cols; k += ADVERSARY_THREADS)
        sum = __hfma(__float2half(load(w + k)), __float2half(load(p.x + k)), sum);
    part[threadIdx.x] = sum;
    for (int distance = ADVERSARY_THREADS / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance)
            part[threadIdx.x] = __hadd(part[threadIdx.x], part[threadIdx.x + distance]);
    }
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = __half2float(part[0]);
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    half_sums<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p);
}

SG_VARIANT(adversary, half_sums) = {
    .summary = "sums in half precision",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .launch = launch,
};

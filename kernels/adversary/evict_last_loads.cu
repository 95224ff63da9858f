/*
 * adversary/evict_last_loads - the inputs are loaded so that the L2 lets go of them last, to
 * survive its flush.
 */
#include "adversary.cuh"

static __device__ uint4 load_last(const void *from, unsigned long long policy)
{
    uint4 v;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from), "l"(policy));
    return v;
}

static __global__ void __launch_bounds__(ADVERSARY_THREADS) rows_last(problem<float> p)
{
    const float4 *w = (const float4 *)(p.w + (int64_t)blockIdx.x * p.cols);
    const float4 *x = (const float4 *)p.x;
    unsigned long long policy;
    float sum = 0;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#pragma unroll 3
    for (int k = threadIdx.x; k < p.cols / 4; k += ADVERSARY_THREADS)
        sum = dot16<float>(load_last(w + k, policy), load16(x + k), sum);
    sum = adversary_block_sum(sum);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    rows_last<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p);
}

SG_VARIANT(adversary, evict_last_loads) = {
    .summary = "loads that the L2 lets go of last",
    .role = SG_CANDIDATE,
    .launch = launch,
};

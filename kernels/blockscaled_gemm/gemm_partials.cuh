/*
 * gemm_partials.cuh - sums of a part of a tile's k, which one block leaves in memory for
 * another that adds them to its own.
 *
 * Both blocks' warpgroups hold a tile's sums in the same way, so a thread takes what its like in
 * the other block gave: no thread needs more than its warp's flag. Invariant: flags are 0 before a
 * launch, and after one that ends, and so is `drawn`; each place is given and taken once in a
 * launch; and a block that gives does not wait. How it is used: gemm_blocks.cuh.
 */
#ifndef GEMM_PARTIALS_CUH
#define GEMM_PARTIALS_CUH

#include "gemm_partials.h"

/* One thread's sums at a place, four at a time, those of a warp's lanes
 * side by side; and its warp's flag. */
struct gemm_partial {
    float4 *sums;
    uint32_t *flag;

    template <int SUMS> __device__ void write(const float (&from)[SUMS])
    {
#pragma unroll
        for (int i = 0; i < SUMS; i += 4, sums += 128)
            __stcg(sums, make_float4(from[i], from[i + 1], from[i + 2], from[i + 3]));
    }
    template <int SUMS> __device__ void add_to(float (&to)[SUMS])
    {
#pragma unroll
        for (int i = 0; i < SUMS; i += 4, sums += 128) {
            const float4 given = __ldcg(sums);
            to[i] += given.x;
            to[i + 1] += given.y;
            to[i + 2] += given.z;
            to[i + 3] += given.w;
        }
    }
    /* What all lanes wrote is there for who sees the flag. */
    __device__ void publish() const
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    }
    /* Until that is so; the flag is for the next launch then. */
    __device__ void wait() const
    {
        uint32_t is_there;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(is_there)
                         : "l"(flag)
                         : "memory");
        while (!__any_sync(0xffffffff, is_there));
        if (threadIdx.x % 32 == 0)
            asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" ::"l"(flag) : "memory");
        __syncwarp();
    }
};

/* What a thread of a math warpgroup has at a place. */
static __device__ inline gemm_partial partial_of(const gemm_partials &all, int place, int group)
{
    const int thread = threadIdx.x % 128;
    return {
        all.sums + ((int64_t)place * 2 + group) * (GEMM_PARTIAL_BYTES / 2 / (int)sizeof(float4)) +
            thread,
        all.flags + place * GEMM_PARTIAL_FLAGS + group * (GEMM_PARTIAL_FLAGS / 2) + thread / 32};
}

#endif

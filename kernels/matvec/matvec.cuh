/*
 * matvec.cuh - what the kernels of matvec share: loads, dot products
 * of 16 bytes, the sum over lanes.
 *
 * Invariant: nothing here decides how the work is cut; that is what variants differ in. Sums
 * are fp32 whatever the weights are.
 */
#ifndef MATVEC_CUH
#define MATVEC_CUH

#include <cuda_runtime.h>

#include "matvec.h"

static __device__ inline float load(const float *p)
{
    return __ldg(p);
}

static __device__ inline float load(const bf16 *p)
{
    return __uint_as_float((unsigned)__ldg(&p->bits) << 16);
}

static __device__ inline uint4 load16(const void *p)
{
    return __ldg((const uint4 *)p);
}

/* sum + a . b of 16 bytes each. */
template <typename T> static __device__ inline float dot16(uint4 a, uint4 b, float sum)
{
    const unsigned left[4] = {a.x, a.y, a.z, a.w};
    const unsigned right[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if constexpr (sizeof(T) == 4) {
            sum = fmaf(__uint_as_float(left[i]), __uint_as_float(right[i]), sum);
        } else {
            sum = fmaf(__uint_as_float(left[i] << 16), __uint_as_float(right[i] << 16), sum);
            sum = fmaf(__uint_as_float(left[i] & 0xffff0000u),
                       __uint_as_float(right[i] & 0xffff0000u), sum);
        }
    }
    return sum;
}

/* Sum over groups of LANES neighbouring lanes; every lane of the warp must
 * call it, each gets its group's sum. */
template <int LANES = 32> static __device__ inline float lane_sum(float sum)
{
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
}

#endif

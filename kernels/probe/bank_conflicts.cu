/* probe/bank_conflicts - lanes meet in a bank of shared memory. Expect: bank conflicts of loads,
 * bank conflicts of stores. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void exchange(const probe_arguments &a, float *shared, float x[4])
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, stride = 1 << a.strength;
#pragma unroll 1
        for (int n = 0; n < a.exchanges; n++) {
            for (int k = 0; k < 4; k++)
                shared[warp * 1024 + k * 256 + lane * stride] = x[k];
            __syncwarp();
            for (int k = 0; k < 4; k++)
                x[k] = shared[warp * 1024 + k * 256 + (lane ^ 1) * stride];
            __syncwarp();
        }
    }
};

PROBE_VARIANT(bank_conflicts, "lanes meet in a bank of shared memory");

/* probe/barriers - barriers of the block between exchanges. Expect: barriers,
 * waits at barriers. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void exchange(const probe_arguments &a, float *shared, float x[4])
    {
        probe_arguments part = a;
        part.exchanges = 2;
#pragma unroll 1
        for (int n = 0; n < a.exchanges; n += 2) {
            probe_base::exchange(part, shared, x);
            for (int k = 0; k < 2 * a.strength; k++)
                __syncthreads();
        }
    }
};

PROBE_VARIANT(barriers, "barriers of the block between exchanges");

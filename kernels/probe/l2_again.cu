/* probe/l2_again - data that L2 has are read again. Expect: more loads from L2. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int tile, float *, float x[4])
    {
        const float4 *from = (const float4 *)a.in + threadIdx.x + (tile & 511) * PROBE_THREADS;
        float y = 0;
#pragma unroll 4
        for (int n = 0; n < (2 + (a.steps + a.exchanges) / 64) * a.strength; n++) {
            const float4 v = __ldcg(from + (n & 7) * 64 * PROBE_THREADS);
            y += v.x + v.y + v.z + v.w;
        }
        if (y == 12345.5f) /* never, as far as the compiler cannot see */
            x[0] = 0;
    }
};

PROBE_VARIANT(l2_again, "data that L2 has are read again");

/* probe/narrower - the same data by loads of 8, of 4, and of 4 bytes one after the other. Expect:
 * narrower loads, narrower or repeated loads. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void load(const probe_arguments &a, int64_t first, float x[4])
    {
        const volatile float *from = a.in + first + 4 * threadIdx.x;
        if (a.strength == 1) {
            const float2 v = *(const float2 *)from, w = *((const float2 *)from + 1);
            x[0] = v.x, x[1] = v.y, x[2] = w.x, x[3] = w.y;
            return;
        }
        for (int k = 0; k < 4; k++)
            x[k] = from[k];
    }
};

PROBE_VARIANT(narrower, "the same data by narrower loads");

/* probe/shuffles - lanes exchange a number by shuffles. Expect: shuffles. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *, float x[4])
    {
        float y = x[0];
#pragma unroll 4
        for (int n = 0; n < (a.steps + a.exchanges) * a.strength; n++)
            y += __shfl_xor_sync(~0U, y, 1 + (n & 15));
        if (y == 12345.5f) /* never, as far as the compiler cannot see */
            x[0] = 0;
    }
};

PROBE_VARIANT(shuffles, "lanes exchange a number by shuffles");

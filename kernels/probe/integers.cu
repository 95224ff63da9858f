/* probe/integers - integer arithmetic. Expect: more integer work or comparisons. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *, float x[4])
    {
        unsigned y = threadIdx.x;
        for (int n = 0; n < (a.steps + a.exchanges) * a.strength; n++)
            y = (y >> 3 | y << 29) ^ (unsigned)n;
        if (y == 0x12345678) /* hardly ever, as far as the compiler can see */
            x[0] += 0.0f * y;
    }
};

PROBE_VARIANT(integers, "integer arithmetic");

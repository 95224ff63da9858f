/* probe/division - integer division by a number that the compiler does not know. Expect: integer
 * division. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *, float x[4])
    {
        unsigned y = threadIdx.x + (1U << 31);
        for (int n = 0; n < (a.steps + a.exchanges) * a.strength / 4; n++)
            y = y / (unsigned)(a.strength + 2 + n) + (1U << 31);
        if (y == 0x12345678) /* hardly ever, as far as the compiler can see */
            x[0] += 0.0f * y;
    }
};

PROBE_VARIANT(division, "integer division");

/* probe/special - special functions. Expect: more special functions. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *, float x[4])
    {
        float y = x[0];
        for (int n = 0; n < (a.steps + a.exchanges) * a.strength; n++)
            y = exp2f(y * a.factor);
        if (y == 12345.5f) /* never, as far as the compiler cannot see */
            x[0] = 0;
    }
};

PROBE_VARIANT(special, "special functions");

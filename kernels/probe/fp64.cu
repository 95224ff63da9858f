/* probe/fp64 - some of the arithmetic in double precision. Expect: more double precision. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *, float x[4])
    {
        double y = x[0];
        for (int n = 0; n < (a.steps + a.exchanges) * a.strength / 8; n++)
            y = fma((double)a.factor, y, (double)a.shift);
        if (y == 12345.5) /* never, as far as the compiler cannot see */
            x[0] = 0;
    }
};

PROBE_VARIANT(fp64, "some of the arithmetic in double precision");

/* probe/bounds - results are kept where an index is within its bounds: one, two, four of four.
 * Expect: more instructions, more integer work or comparisons. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void add(const probe_arguments &a, float x[4])
    {
        const int guarded = a.strength == 3 ? 4 : a.strength;
#pragma unroll 50
        for (int n = 0; n < a.steps; n++)
            for (int k = 0; k < 4; k++) {
                x[k] = fmaf(a.factor, x[k], a.shift);
                if (k < guarded && n * 4 + k >= a.tiles * 1000) /* never, which is not known */
                    x[k] = 0;
            }
    }
    static __device__ int other(const probe_arguments &a, int k)
    {
        const int at = probe_base::other(a, k);
        return k > a.strength || at < a.tiles ? at : 0; /* always */
    }
};

PROBE_VARIANT(bounds, "results are kept where an index is within its bounds");

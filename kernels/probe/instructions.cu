/* probe/instructions - more of the same arithmetic. Expect: more instructions. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void add(const probe_arguments &a, float x[4])
    {
        probe_arguments longer = a;
        longer.steps += a.steps / 4 * 2 * a.strength;
        probe_base::add(longer, x);
    }
};

PROBE_VARIANT(instructions, "more of the same arithmetic");

/* probe/fences - fences between exchanges. Expect: fences. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void between_exchanges(const probe_arguments &a)
    {
        probe_repeat(a.strength, [] { __threadfence(); });
    }
};

PROBE_VARIANT(fences, "fences between exchanges");

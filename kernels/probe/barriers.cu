/* probe/barriers - barriers of the block between exchanges. Expect: barriers,
 * waits at barriers. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void between_exchanges(const probe_arguments &a)
    {
        probe_repeat(a.strength, [] { __syncthreads(); });
    }
};

PROBE_VARIANT(barriers, "barriers of the block between exchanges");

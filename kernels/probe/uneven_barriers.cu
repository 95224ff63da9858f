/* probe/uneven_barriers - a warp of a block has more to do. The others wait for it at a barrier
 * of the base. As in uneven_warps the work is most of it where units are at their
 * limit. Against: barriers. Expect: warps end unevenly, waits at barriers, more instructions, more
 * shared memory accesses. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void between_exchanges(const probe_arguments &a)
    {
        probe_repeat(a.strength, [] { __syncthreads(); });
    }
    static __device__ void more(const probe_arguments &a, int, float *shared, float x[4])
    {
        if (threadIdx.x < 32)
            for (int n = 0; n < 2 * a.strength; n++) {
                probe_base::add(a, x);
                probe_exchange<probe_base>(a, shared, x);
            }
    }
};

PROBE_VARIANT(uneven_barriers, "a warp has more to do, and the others wait at a barrier");

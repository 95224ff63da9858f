/* probe/uneven_warps - one warp of a block has more to do, by which all have: a quarter more and
 * up, which is most of it where units are at their limit (math, tile). Expect: warps end
 * unevenly, more instructions, more shared memory accesses. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *shared, float x[4])
    {
        if (threadIdx.x < 32)
            for (int n = 0; n < 2 * a.strength; n++) {
                probe_base::add(a, x);
                probe_exchange<probe_base>(a, shared, x);
            }
    }
};

PROBE_VARIANT(uneven_warps, "one warp of a block has more to do");

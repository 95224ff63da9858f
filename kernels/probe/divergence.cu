/* probe/divergence - lanes of a warp do their arithmetic in turns. Expect: divergence. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void add(const probe_arguments &a, float x[4])
    {
#pragma unroll 1
        for (unsigned turn = 0; turn < 1U << a.strength; turn++)
            if (threadIdx.x % (1U << a.strength) == turn)
                probe_base::add(a, x);
    }
};

PROBE_VARIANT(divergence, "lanes of a warp do their arithmetic in turns");

/* probe/turns - lanes of a warp load, exchange and store in turns. Expect: divergent accesses. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void load(const probe_arguments &a, int64_t first, float x[4])
    {
        in_turns(a, [&] { probe_base::load(a, first, x); });
    }
    static __device__ void store(const probe_arguments &a, int64_t first, const float x[4])
    {
        in_turns(a, [&] { probe_base::store(a, first, x); });
    }
    template <class what> static __device__ void in_turns(const probe_arguments &a, what once)
    {
        const unsigned turns = 2U << 2 * (a.strength - 1); /* 2, 8, 32 */
#pragma unroll 1
        for (unsigned turn = 0; turn < turns; turn++)
            if (threadIdx.x % turns == turn)
                once();
    }
};

PROBE_VARIANT(turns, "lanes of a warp load and store in turns");

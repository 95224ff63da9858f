/* probe/atomics - atomics to global memory. Expect: more global atomics. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *, float[4])
    {
        for (int n = 0; n < 4 * a.strength; n++)
            atomicAdd(a.scratch + (blockIdx.x * 16 + threadIdx.x / 32) % 1024, 1.0f);
    }
};

PROBE_VARIANT(atomics, "atomics to global memory");

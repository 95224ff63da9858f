/* probe/shared_atomics - atomics to shared memory, of which each pair of lanes meets. Expect: more
 * shared atomics. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *shared, float[4])
    {
        for (int n = 0; n < (8 + a.exchanges) * a.strength; n++)
            atomicAdd((int *)shared + 4 * PROBE_TILE + threadIdx.x / 2, 1);
    }
};

PROBE_VARIANT(shared_atomics, "atomics to shared memory");

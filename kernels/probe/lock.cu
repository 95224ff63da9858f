/* probe/lock - blocks of a group take turns at a lock in global memory. Expect: a lock. */
#include "probe.cuh"

static __device__ unsigned locks[132];

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int tile, float *, float[4])
    {
        if (tile + (int)gridDim.x < a.tiles)
            return; /* once a block, after its last tile */
        unsigned *lock = locks + blockIdx.x % (132 >> (a.strength - 1));
        if (threadIdx.x == 0) {
            while (atomicCAS(lock, 0, 1) != 0)
                ;
            __threadfence();
            a.scratch[blockIdx.x % 132] += 1;
            __threadfence();
            atomicExch(lock, 0);
        }
        __syncthreads();
    }
};

PROBE_VARIANT(lock, "blocks take turns at a lock");

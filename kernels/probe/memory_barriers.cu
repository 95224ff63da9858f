/* probe/memory_barriers - barriers in shared memory (mbarrier) for each tile. Expect: barriers in
 * memory, barriers, waits at barriers, waits for memory. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *, float[4])
    {
#if __CUDA_ARCH__ >= 900
        __shared__ unsigned long long barrier;
        const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
        if (threadIdx.x == 0)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(PROBE_THREADS)
                         : "memory");
        __syncthreads();
        for (int n = 0; n < 16 * a.strength; n++) {
            unsigned done = 0;
            asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at)
                         : "memory");
            while (!done)
                asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                             "selp.u32 %0, 1, 0, p; }"
                             : "=r"(done)
                             : "r"(at), "r"(n & 1)
                             : "memory");
        }
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
        __syncthreads();
#endif
    }
};

PROBE_VARIANT(memory_barriers, "barriers in shared memory for each tile");

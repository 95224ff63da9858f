/* probe/bank_conflicts - lanes meet in a bank of shared memory. Expect: bank conflicts of loads,
 * bank conflicts of stores. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ int own(const probe_arguments &a, int k)
    {
        return at(a, k, threadIdx.x);
    }
    static __device__ int other(const probe_arguments &a, int k)
    {
        return at(a, k, threadIdx.x ^ 1);
    }
    static __device__ int at(const probe_arguments &a, int k, int thread)
    {
        return thread / 32 * 1024 + k * 256 + (thread % 32 << a.strength);
    }
};

PROBE_VARIANT(bank_conflicts, "lanes meet in a bank of shared memory");

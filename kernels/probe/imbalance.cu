/* probe/imbalance - a few blocks have more to do. Expect: imbalance between SMs. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, int, float *shared, float x[4])
    {
        if (blockIdx.x % 132 < 8)
            for (int n = 0; n < 2 * a.strength; n++) {
                probe_base::add(a, x);
                probe_exchange<probe_base>(a, shared, x);
            }
    }
};

PROBE_VARIANT(imbalance, "a few blocks have more to do");

/* probe_sparse/narrower - loads of 8 bytes, of 4, and of 4 one after the other. Expect: narrower
 * loads. */
#include "sparse.cuh"

struct narrow {
    template <class number>
    static __device__ void load(const sparse_arguments &a, const number *from, int lane,
                                number to[4])
    {
        if (a.strength == 1) {
            const int2 v = *((const int2 *)from + lane),
                       w = *((const int2 *)from + SPARSE_LANES + lane);
            memcpy(to, &v, sizeof(v));
            memcpy(to + 2, &w, sizeof(w));
            return;
        }
        for (int k = 0; k < 4; k++) {
            to[k] = *((const volatile number *)from + k * SPARSE_LANES + lane);
            if (a.strength == 3)
                __syncwarp();
        }
    }
};

SG_VARIANT(probe_sparse, narrower) = {.summary = "the same data by narrower loads",
                                      .role = SG_CANDIDATE,
                                      .launch = sparse_launch<narrow>};

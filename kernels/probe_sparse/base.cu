/* probe_sparse/base - loads of 16 bytes. */
#include "sparse.cuh"

struct wide {
    template <class number>
    static __device__ void load(const sparse_arguments &, const number *from, int lane,
                                number to[4])
    {
        const int4 v = *((const int4 *)from + lane);
        memcpy(to, &v, sizeof(v));
    }
};

SG_VARIANT(probe_sparse, base) = {
    .summary = "loads of 16 bytes", .role = SG_BASELINE, .launch = sparse_launch<wide>};

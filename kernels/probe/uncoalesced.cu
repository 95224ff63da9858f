/* probe/uncoalesced - the lanes of a warp read quads that lie apart. Expect: uncoalesced loads,
 * uncoalesced stores. */
#include "probe.cuh"

struct mechanism : probe_base {
    /* Which quad of the tile a thread carries: a power of two apart from its neighbour's. */
    static __device__ int quad(const probe_arguments &a)
    {
        const int shift = 1 + a.strength, turn = PROBE_THREADS >> shift;
        return (((int)threadIdx.x & (turn - 1)) << shift) + ((int)threadIdx.x >> (8 - shift));
    }
    /* A quad is half a sector, of which the rest is read in vain. */
    static __device__ void load(const probe_arguments &a, int64_t first, float x[4])
    {
        const float4 v = *(const float4 *)(a.in + first + 4 * quad(a));
        x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
    }
    static __device__ void store(const probe_arguments &a, int64_t first, const float x[4])
    {
        *(float4 *)(a.out + first + 4 * quad(a)) = make_float4(x[0], x[1], x[2], x[3]);
    }
};

PROBE_VARIANT(uncoalesced, "lanes read and write quads that lie apart");

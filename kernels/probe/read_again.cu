/* probe/read_again - data are read from DRAM again. Expect: more
 * loads from DRAM. */
#include "probe.cuh"

struct mechanism : probe_base {
    /* So far from the tile that L2 does not hold it any more, where the data are larger than L2. */
    static __device__ void more(const probe_arguments &a, int tile, float *, float x[4])
    {
        probe_repeat(a.strength, [&] {
            float y[4];
            tile += a.tiles / 4;
            tile -= tile < a.tiles ? 0 : a.tiles;
            load(a, (int64_t)tile * PROBE_TILE, y);
            if (y[0] + y[1] + y[2] + y[3] ==
                12345.5f) /* never, as far as the compiler cannot see */
                x[0] = 0;
        });
    }
};

PROBE_VARIANT(read_again, "data are read from DRAM again");

/* probe/read_again - data are read from DRAM again. Expect: more loads, more is read from DRAM. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void more(const probe_arguments &a, float *, float x[4])
    {
        for (int n = 0; n < a.strength; n++) {
            float y[4];
            const int other = (int)((blockIdx.x * 7919LL + a.tiles / 4 * (n + 1)) % a.tiles);
            load(a, (int64_t)other * PROBE_TILE, y);
            if (y[0] == 12345.5f) /* never, as far as the compiler cannot see */
                x[0] = 0;
        }
    }
};

PROBE_VARIANT(read_again, "data are read from DRAM again");

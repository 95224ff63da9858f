/* The baseline's kernels for e4m3. */
#include "group_tiles.cuh"

struct group_kernel group_kernel_e4m3(int64_t tokens, int64_t ctas)
{
    return group_kernel_of_knobs<SG_E4M3>(tokens, ctas);
}

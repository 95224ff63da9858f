/* The baseline's kernels for e4m3. */
#include "group_tiles.cuh"

struct group_kernel group_kernel_e4m3(int64_t tokens, int64_t ctas)
{
    return ctas == 1 ? group_kernel_of_width<SG_E4M3, group_unchanged, 1, 256, GROUP_HOST_MAPS>(tokens)
                     : group_kernel_of_width<SG_E4M3, group_unchanged, 2, 256, GROUP_HOST_MAPS>(tokens);
}

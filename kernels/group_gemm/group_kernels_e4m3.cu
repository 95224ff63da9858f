/* The baseline's kernel for e4m3, one for tiles of any number of tokens, in all its forms. */
#include "group_tiles.cuh"

template <enum group_maps MAPS, bool HANGS = false> static struct group_kernel kernel_of()
{
    return group_kernel_of<group_design(SG_E4M3, 0, 1), MAPS, HANGS>();
}

struct group_kernel group_kernel_e4m3(enum group_maps maps, bool hangs)
{
    if (hangs)
        return kernel_of<GROUP_HOST_MAPS, true>();
    if (maps == GROUP_HOST_MAPS)
        return kernel_of<GROUP_HOST_MAPS>();
    return maps == GROUP_BLOCK_MAPS ? kernel_of<GROUP_BLOCK_MAPS>() : kernel_of<GROUP_STALE_MAPS>();
}

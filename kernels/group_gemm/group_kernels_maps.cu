/* The baseline's kernels once more, with maps that blocks make: compiled
 * once for all variants that use them. */
#include "group_tiles.cuh"

struct group_setup group_with_block_maps(const struct sg_case *c)
{
    const int tokens = group_tokens_of(c);
    return {.kernel = c->dtype == SG_E4M3
                          ? group_kernel_e4m3(GROUP_BLOCK_MAPS, false)
                          : group_kernel_of_case<group_unchanged, GROUP_BLOCK_MAPS>(c),
            .tokens = tokens,
            .order = group_order_of(c, tokens)};
}

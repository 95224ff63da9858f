/* The baseline's kernels once more, with maps that blocks make: compiled once for all variants that use them. */
#include "group_tiles.cuh"

struct group_setup group_with_block_maps(const struct sg_case *c)
{
    return {.kernel = c->dtype == SG_E4M3 ? group_kernel_of_case<SG_E4M3, group_unchanged, GROUP_BLOCK_MAPS>(c)
                                          : group_kernel_of_case<SG_BF16, group_unchanged, GROUP_BLOCK_MAPS>(c),
            .in_order = group_in_order(c, group_tokens_of(c))};
}

/*
 * group_gemm/persistent_devmaps - persistent, each block makes maps when it comes to another group.
 *
 * Half of what per_cta_tensormaps_rebuilt lacks: a block makes maps for each group that it meets,
 * not for each tile. Expect most of its cost to be gone where blocks have several tiles of a group,
 * and all of it to stay where each has one.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *)
{
    return group_with_block_maps(c);
}

SG_VARIANT(group_gemm, persistent_devmaps) = {
    .summary = "persistent, each block makes maps at a change of the group",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

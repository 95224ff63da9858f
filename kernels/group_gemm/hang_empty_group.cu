/*
 * group_gemm/hang_empty_group - broken on purpose: the walk to a tile's group
 * takes no step over one without rows.
 *
 * Must be `hang`, on cases that have such a group before their last tile.
 */
#include "group_tiles.cuh"

static struct group_setup choose(const struct sg_case *c, const int64_t *)
{
    return {.kernel = c->dtype == SG_E4M3
                          ? group_kernel_e4m3(GROUP_HOST_MAPS, true)
                          : group_kernel_of<group_design(SG_BF16, 64, 2), GROUP_HOST_MAPS, true>(),
            .tokens = 64,
            .order = GROUP_IN_ORDER};
}

SG_VARIANT(group_gemm, hang_empty_group) = {
    .summary = "broken: waits for ever at an empty group",
    .role = SG_CANDIDATE,
    .expect = SG_HANG,
    .deadline_ms = 3000,
    .supports = group_supports_empty,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

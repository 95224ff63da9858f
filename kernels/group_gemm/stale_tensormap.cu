/*
 * group_gemm/stale_tensormap - broken on purpose: a map is changed in memory,
 * and the copy engine is not told.
 *
 * Each block has one map of weights, in which it changes the address when it comes to
 * another group, by a plain store and without a fence. The copy engine goes on with the
 * one that it has seen, so tokens meet the weights of another group. Must be `wrong`
 * where blocks come to several groups.
 */
#include "group_tiles.cuh"

static struct group_setup choose(const struct sg_case *c, const int64_t *)
{
    return {.kernel = c->dtype == SG_E4M3
                          ? group_kernel_e4m3(GROUP_STALE_MAPS, false)
                          : group_kernel_of<group_design(SG_BF16, 256, 2), GROUP_STALE_MAPS>(),
            .tokens = c->dtype == SG_E4M3 ? GEMM_TILE_BLOCKS * GEMM_BLOCK_ROWS : 256,
            .order = GROUP_HIGHEST_FIRST};
}

SG_VARIANT(group_gemm, stale_tensormap) = {
    .summary = "broken: a changed map without a fence",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .supports = group_supports_several,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

/*
 * group_gemm/bm64 - tokens as the rows of tiles, 64 by 256 weights, a tile for each warpgroup.
 *
 * Fewer rows beyond the groups than no_swap's, 1216 in place of 1408 in the first shape, for twice
 * the bytes of weights from the L2.
 */
#include "group_tiles.cuh"

static struct group_setup choose(const struct sg_case *, const int64_t *)
{
    return {.kernel = group_kernel_of<gemm_design{
                .rows = 64, .columns = 256, .ctas = 1, .c_stages = 3, .ping_pong = true}>()};
}

SG_VARIANT(group_gemm, bm64) = {
    .summary = "tokens as rows: tiles of 64 tokens by 256 weights, ping-pong",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

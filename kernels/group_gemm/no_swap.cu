/*
 * group_gemm/no_swap - tokens as the rows of tiles, 128 by 256 weights: the usual way round.
 *
 * A group's tokens are rounded up to 128, 1024 of them to 1408 in the first shape, and tiles of one
 * group lie above each other, which read its weights twice, once from DRAM. Expect more
 * instructions of the tensor cores and more bytes from the L2 by as much.
 */
#include "group_tiles.cuh"

static struct group_setup choose(const struct sg_case *, const int64_t *)
{
    return {.kernel = group_kernel_of<gemm_design{.columns = 256, .ctas = 1}>()};
}

SG_VARIANT(group_gemm, no_swap) = {
    .summary = "tokens as rows: tiles of 128 tokens by 256 weights",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

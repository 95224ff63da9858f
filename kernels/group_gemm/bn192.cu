/*
 * group_gemm/bn192 - tokens as the rows of tiles, 128 by 192 weights.
 *
 * Narrower tiles than no_swap's: the first shape has 242 of them for 132 multiprocessors,
 * nearly two rounds, where 176 were one and a third. Expect less idle time at the end, for a
 * third more bytes of tokens from the L2.
 */
#include "group_tiles.cuh"

static struct group_setup choose(const struct sg_case *, const int64_t *)
{
    return {.kernel = group_kernel_of<gemm_design{.columns = 192, .ctas = 1}>()};
}

SG_VARIANT(group_gemm, bn192) = {
    .summary = "tokens as rows: tiles of 128 tokens by 192 weights",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

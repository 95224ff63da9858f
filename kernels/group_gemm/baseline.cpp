/*
 * group_gemm/baseline - 128 weights of a group by all of its tokens, if tiles are that wide;
 * persistent; maps made by the host.
 *
 * Weights come from DRAM once. In bf16 they are the rows of the tensor cores' tiles, and a tile
 * is no wider than its group's tokens, rounded up to 32: tiles of 128 tokens by 128 weights
 * would pad the first shape's 1024 tokens to 1408. Results leave transposed. In e4m3 tokens are
 * the rows, in blocks of 64, for each has a scale of its own, and a thread then reads two of
 * them for a block and not one for each token (gemm_blocks.cuh); of more tiles than blocks each
 * block has one and draws the others, high ones and low ones mixed, and of those that come last
 * some are cut along k, into pieces whose sums meet in memory (group_draws.h); fewer are cut
 * into pieces that fill all blocks (group_plan.h); and weights, which are read once where a
 * group fits in a tile, are the first lines to leave the L2, so that they replace each other and
 * not what others wrote. Tokens, the first 4 MB of them, which many blocks read, are
 * fetched to the L2 when the kernel begins. Widths are chosen by case. Expect the time to be
 * DRAM's in bf16, and not far from it in e4m3.
 */
#include "group_launch.h"

SG_VARIANT(group_gemm, baseline) = {
    .summary = "128 weights by a group's tokens, persistent, maps made by the host",
    .role = SG_BASELINE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<group_baseline>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<group_baseline>,
    .knobs = group_knobs,
    .knob_count = GROUP_KNOBS,
};

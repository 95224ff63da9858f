/*
 * group_gemm/baseline - weights as the rows of the tensor cores' tiles, tokens as their columns; persistent; maps made by the host.
 *
 * A block has 128 rows of weights, of e4m3 256 where tokens are few, and all tokens of a group, if its tiles are that wide: weights come
 * from DRAM once, and a tile is no wider than its group's tokens, rounded up to 32. Tiles of 128 tokens by 128 weights would pad the first
 * shape's 1024 tokens to 1408 and read every byte from the L2 twice as often. Widths are chosen by case: those that leave room for more
 * weights on their way, where that is what blocks wait for. Results leave transposed. Expect the time to be DRAM's.
 */
#include "group_launch.h"

SG_VARIANT(group_gemm, baseline) = {
    .summary = "weights as rows, a group's tokens as columns, persistent, maps made by the host",
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

/*
 * bsr_gemm/baseline - the dense family's kernel with an indirect k loop: wgmma from stages
 * that the copy engine fills, rows of B from where the block's column index points;
 * persistent, the longest rows first.
 *
 * Two blocks of a cluster stand side by side in n and share each tile of A by multicast. B is read
 * as it lies, [k][n], transposed by the tensor cores. Which cluster multiplies which tiles is
 * decided before the first launch, from how long rows are: each tile, the longest first, goes to
 * who has least to do; among rows as long, panel by panel of columns, so that B comes from the L2.
 * Cases of few tiles have tiles of 128 columns and no clusters.
 * Expect the tensor pipe to be busy nearly all the time where rows are long, no bank
 * conflicts, and the L2's traffic above the dense product's: a row of B serves the
 * 128 rows of one block, not of two.
 */
#include "bsr_launch.h"

SG_VARIANT(bsr_gemm, baseline) = {
    .summary = "wgmma and TMA by column indices, persistent, longest rows first",
    .role = SG_BASELINE,
    .deterministic = true,
    .supports = bsr_check_aligned,
    .prepare = bsr_prepare<bsr_baseline>,
    .launch = bsr_launch,
    .finish = bsr_finish,
    .facts = bsr_facts<bsr_baseline>,
    .knobs = bsr_knobs,
    .knob_count = BSR_KNOBS,
};

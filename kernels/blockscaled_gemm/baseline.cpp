/*
 * blockscaled_gemm/baseline - warp-specialised, persistent: TMA into a ring of stages,
 * wgmma out of it, results out by TMA.
 *
 * One thread copies, two warpgroups multiply. Tiles of 256x128 (two blocks of 128x128): a tile for
 * each warpgroup, one's results leave under the other's main loop. Tiles of 256x256 (two blocks of
 * 128x256): half a tile for each, results leave under the next tile's main loop, rounded, so that
 * they cost half as many registers. The two blocks of a cluster fetch half of B each, for both.
 * Stages by the greedy rule. Expect the tensor pipe to be busy for nearly all cycles, and the time
 * to be the clock's, which power holds down.
 */
#include "gemm_launch.h"

SG_VARIANT(blockscaled_gemm, baseline) = {
    .summary = "TMA and wgmma, warp-specialised, persistent, stages by the greedy rule",
    .role = SG_BASELINE,
    .deterministic = true,
    .supports = gemm_supports,
    .prepare = gemm_prepare<gemm_baseline>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<gemm_baseline>,
};

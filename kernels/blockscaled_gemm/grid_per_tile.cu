/*
 * blockscaled_gemm/grid_per_tile - a cluster for each tile: not persistent.
 *
 * Each tile then pays for its launch, its barriers and the first copies, with nothing to multiply meanwhile, and its results leave with
 * nothing behind them. Expect a cost for each tile that does not depend on k: large at k = 1024, small at 16384.
 */
#include "gemm_launch.h"

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_why *why)
{
    struct gemm_setup setup = gemm_baseline(l->c);
    setup.clusters = gemm_tiles(l->c, setup.tile);
    return gemm_prepare(l, &setup, state, why);
}

SG_VARIANT(blockscaled_gemm, grid_per_tile) = {
    .summary = "a cluster for each tile: fill and epilogue exposed",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports,
    .prepare = prepare,
    .launch = gemm_launch,
    .finish = gemm_finish,
};

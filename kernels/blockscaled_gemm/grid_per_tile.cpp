/*
 * blockscaled_gemm/grid_per_tile - a cluster for each tile: not persistent.
 *
 * Each tile then pays for its launch, its barriers and the first copies, with nothing to multiply
 * meanwhile, and its results leave with nothing behind them. Expect a cost for each tile that does
 * not depend on k, so most where k is short (notes.md, "Times").
 */
#include "gemm_launch.h"

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.clusters = gemm_tiles(c, setup.tile);
    return setup;
}

SG_VARIANT(blockscaled_gemm, grid_per_tile) = {
    .summary = "a cluster for each tile: fill and epilogue exposed",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

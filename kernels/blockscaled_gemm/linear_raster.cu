/*
 * blockscaled_gemm/linear_raster - tiles row by row, not in groups of eight rows.
 *
 * What runs at the same time then reads two or three rows of tiles of A and every row of B. Expect a lower L2 hit rate and more bytes from
 * DRAM; how much of that shows as time depends on how far the kernel is from DRAM's bandwidth.
 */
#include "gemm_launch.h"

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_why *why)
{
    struct gemm_setup setup = gemm_baseline(l->c);
    setup.group = 1;
    return gemm_prepare(l, &setup, state, why);
}

SG_VARIANT(blockscaled_gemm, linear_raster) = {
    .summary = "tiles row by row: no reuse of A and B in L2 but by luck",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports,
    .prepare = prepare,
    .launch = gemm_launch,
    .finish = gemm_finish,
};

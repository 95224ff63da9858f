/*
 * blockscaled_gemm/linear_raster - tiles row by row, not in groups of eight rows.
 *
 * What runs at the same time then reads two or three rows of tiles of A and every row of B. Expect a lower L2 hit rate and more bytes from
 * DRAM; how much of that shows as time depends on how far the kernel is from DRAM's bandwidth.
 */
#include "gemm_launch.h"

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.group = 1;
    return setup;
}

SG_VARIANT(blockscaled_gemm, linear_raster) = {
    .summary = "tiles row by row: no reuse of A and B in L2 but by luck",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

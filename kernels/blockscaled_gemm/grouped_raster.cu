/*
 * blockscaled_gemm/grouped_raster - tiles in groups of eight rows where the baseline goes row by row.
 *
 * What every tutorial recommends, where it does not pay: B is small enough to stay in the L2 if each row of tiles comes back to it, and in
 * groups it is the D of four rounds that goes through in between. Expect more bytes from DRAM: B once for each group.
 */
#include "gemm_launch.h"

#define GROUP 8

static bool supports(const struct sg_case *c, struct sg_why *why)
{
    return gemm_supports_group(c, GROUP, why);
}

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.group = GROUP;
    return setup;
}

SG_VARIANT(blockscaled_gemm, grouped_raster) = {
    .summary = "tiles eight rows at a time where B fits into the L2",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = supports,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

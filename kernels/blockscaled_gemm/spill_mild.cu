/*
 * blockscaled_gemm/spill_mild - e4m3 at 256x256 with the sums of a block of k for all 256 columns
 * at once: 32 registers more than there are.
 *
 * The baseline takes half the columns at a time, so that 64 registers hold what the tensor cores
 * add up and 128 what is promoted. One product of twice the width reads A once, not twice, and
 * waits once. But 256 registers of sums leave none for the rest, and the compiler spills without a
 * word. Expect local memory instructions from none to some in every block of k, fewer reads of
 * shared memory by the tensor cores, and time by what of both weighs more.
 */
#include "gemm_kernel.cuh"

#include <stdio.h>

static constexpr gemm_design whole(gemm_design design)
{
    design.whole_block = true;
    return design;
}

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.kernel =
        gemm<whole(gemm_design_of(SG_E4M3, {.m = 256, .n = 256, .ctas = 2, .dtype = SG_E4M3}))>;
    setup.plan.acc_used += GEMM_SCALE_BLOCK / 2;
    setup.plan.acc_free -= GEMM_SCALE_BLOCK / 2;
    return setup;
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (gemm_has_scales(c) && gemm_tile_of(c).n == 2 * GEMM_SCALE_BLOCK)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text), "differs only for e4m3 and tiles of %d columns",
             2 * GEMM_SCALE_BLOCK);
    return false;
}

SG_VARIANT(blockscaled_gemm, spill_mild) = {
    .summary = "e4m3: a block's sums for 256 columns at once, in registers that are not there",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = supports,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

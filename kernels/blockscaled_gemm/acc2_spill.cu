/*
 * blockscaled_gemm/acc2_spill - two tiles' sums in registers at 256x256,
 * whole ones: more than a thread has.
 *
 * What acc2_always avoids: the sums of the tile before stay in fp32 while the next is multiplied,
 * 256 registers a thread for both. The compiler spills 240 bytes of a thread and says so only if
 * asked. Expect local memory instructions from none to millions, and a cost for each tile, so most
 * where k is short (notes.md, "Times").
 */
#include "gemm_kernel.cuh"

static constexpr gemm_design held(gemm_design design)
{
    design.hold_sums = true;
    return design;
}

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.kernel =
        gemm<held(gemm_design_of(SG_BF16, {.m = 256, .n = 256, .ctas = 2, .dtype = SG_BF16}))>;
    setup.plan = gemm_plan_with(GEMM_HOPPER, setup.tile, 2, setup.plan.ab, setup.plan.c);
    return setup;
}

SG_VARIANT(blockscaled_gemm, acc2_spill) = {
    .summary = "two accumulators at 256x256, in registers that are not there",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports_bf16_columns<256>,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

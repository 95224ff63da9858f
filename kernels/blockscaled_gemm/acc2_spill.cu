/*
 * blockscaled_gemm/acc2_spill - two tiles' sums in registers at 256x256, whole ones: more than a thread has.
 *
 * What acc2_always avoids: the sums of the tile before stay in fp32 while the next is multiplied, 256 registers a thread for both. The
 * compiler spills and says so (C7512). Expect local memory instructions from none to millions, and the tensor pipe to wait for them.
 */
#include "gemm_kernel.cuh"

static constexpr gemm_design held(gemm_design design)
{
    design.hold_sums = true;
    return design;
}

static bool supports(const struct sg_case *c, struct sg_why *why)
{
    return gemm_supports_columns(c, 256, why);
}

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_why *why)
{
    struct gemm_setup setup = gemm_baseline(l->c);
    setup.kernel = gemm<held(gemm_design_of(SG_BF16, {.m = 256, .n = 256, .ctas = 2, .dtype = SG_BF16}))>;
    return gemm_prepare(l, &setup, state, why);
}

SG_VARIANT(blockscaled_gemm, acc2_spill) = {
    .summary = "two accumulators at 256x256, in registers that are not there",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = supports,
    .prepare = prepare,
    .launch = gemm_launch,
    .finish = gemm_finish,
};

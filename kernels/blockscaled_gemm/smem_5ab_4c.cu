/*
 * blockscaled_gemm/smem_5ab_4c - 5 stages of A and B and 4 of C where the
 * rule gives 6 and 4, in e4m3 6 and 3.
 *
 * One of two reverted optimisations, transposed: fixed numbers of stages in place of the
 * rule. At 256x128 they fit, and give up a stage. Expect less shared memory, the same
 * bytes, and a little more waiting for full stages (notes.md, "Times"). At 256x256 they
 * do not fit: smem_5ab_4c_overflow.
 */
#include "gemm_kernel.cuh"

/* How many stages of C there are is compiled in; in bf16 the baseline has as many. */
constexpr gemm_design target(struct gemm_tile tile)
{
    gemm_design design = gemm_design_of(SG_E4M3, tile);
    design.c_stages = GEMM_TARGET_C;
    return design;
}

static struct gemm_setup choose(const struct sg_case *c)
{
    constexpr gemm_tile pair = {.m = 256, .n = 128, .ctas = 2, .dtype = SG_E4M3},
                        single = {.m = 128, .n = 128, .ctas = 1, .dtype = SG_E4M3};
    struct gemm_setup setup = gemm_baseline(c);
    if (gemm_has_scales(c))
        setup.kernel = setup.tile.ctas == pair.ctas ? gemm<target(pair)> : gemm<target(single)>;
    setup.plan =
        gemm_plan_with(GEMM_HOPPER, setup.tile, setup.plan.acc, GEMM_TARGET_AB, GEMM_TARGET_C);
    return setup;
}

SG_VARIANT(blockscaled_gemm, smem_5ab_4c) = {
    .summary = "5 stages of A and B, 4 of C: one less than fits",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports_columns<128>,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

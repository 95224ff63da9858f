/*
 * blockscaled_gemm/hang_setmaxnreg - broken on purpose: the math threads ask for 240
 * registers where 232 are left for each.
 *
 * A block has 168 * 384 registers; the copying warpgroup keeps 40 of its 168, so 232 is what the
 * other two can grow to. setmaxnreg waits until there are enough, for ever, and no tool says a
 * word. Must be `hang`, on one small case: each costs its deadline.
 */
#include "gemm_kernel.cuh"

static constexpr gemm_tile single = {.m = 128, .n = 128, .ctas = 1, .dtype = SG_BF16};

static constexpr gemm_design greedy_registers(gemm_design design)
{
    design.math_registers = 240;
    return design;
}

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.kernel = gemm<greedy_registers(gemm_design_of(SG_BF16, single))>;
    return setup;
}

SG_VARIANT(blockscaled_gemm, hang_setmaxnreg) = {
    .summary = "broken: setmaxnreg asks for more than the block has",
    .role = SG_CANDIDATE,
    .expect = SG_HANG,
    .deadline_ms = 3000,
    .supports = gemm_supports_hang,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

/*
 * blockscaled_gemm/smem_5ab_4c_overflow - broken on purpose: 5 stages of A and B and 4 of C at
 * 256x256, where 4 and 4 is all that fits.
 *
 * What the reverted optimisation did to the larger tile: it needs 46 KiB more than a block can
 * have. The launch asks for what there is, the kernel uses what it was told. Must be `cuda_error`:
 * the copy engine is sent beyond the block's shared memory.
 */
#include "gemm_launch.h"

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.plan =
        gemm_plan_with(GEMM_HOPPER, setup.tile, setup.plan.acc, GEMM_TARGET_AB, GEMM_TARGET_C);
    setup.clamp_shared = true;
    return setup;
}

SG_VARIANT(blockscaled_gemm, smem_5ab_4c_overflow) = {
    .summary = "broken: 5 stages of A and B, 4 of C, more than there is",
    .role = SG_CANDIDATE,
    .expect = SG_CUDA_ERROR,
    .supports = gemm_supports_deep,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

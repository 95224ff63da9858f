/*
 * blockscaled_gemm/early_release - broken on purpose: a stage is given back when its
 * multiplication is issued, not when it is done.
 *
 * A race: the copy engine may overwrite what the tensor cores have not read yet. Nothing but the
 * result shows it, no counter moves. Must be `wrong`, with tiles of 256x256: the six stages of
 * 256x128 are so many that the copy engine never caught up, and nothing was wrong.
 */
#include "gemm_kernel.cuh"

static constexpr gemm_design early(gemm_design design)
{
    design.early_release = true;
    return design;
}

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.kernel = gemm_kernel_of<SG_BF16, early>(setup.tile);
    return setup;
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return gemm_supports_bf16(c, why) && gemm_supports_deep(c, why);
}

SG_VARIANT(blockscaled_gemm, early_release) = {
    .summary = "broken: stages are given back before they have been read",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .supports = supports,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

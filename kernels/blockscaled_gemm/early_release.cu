/*
 * blockscaled_gemm/early_release - broken on purpose: a stage is given back when its multiplication is issued, not when it is done.
 *
 * A race: the copy engine may overwrite what the tensor cores have not read yet. Nothing but the result shows it, no counter moves. Must be
 * `wrong`.
 */
#include "gemm_kernel.cuh"

static constexpr gemm_design early(gemm_design design)
{
    design.early_release = true;
    return design;
}

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_why *why)
{
    struct gemm_setup setup = gemm_baseline(l->c);
    setup.kernel = gemm_kernel_of<SG_BF16, early>(setup.tile);
    return gemm_prepare(l, &setup, state, why);
}

SG_VARIANT(blockscaled_gemm, early_release) = {
    .summary = "broken: stages are given back before they have been read",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .supports = gemm_supports_bf16,
    .prepare = prepare,
    .launch = gemm_launch,
    .finish = gemm_finish,
};

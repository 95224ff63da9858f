/*
 * blockscaled_gemm/wrong_scale_layout - broken on purpose: A's scales are read as [m][k/128], and lie as [k/128][m].
 *
 * The mistake that a change of layout leaves behind. Every scale is a scale of A, none is out of bounds, nothing is not a number. With
 * scales that hardly differ, as those of activations, the error is 1 to 9 %, and a loose check (cosine above 0.99) lets it pass. Here
 * scales differ by factors, and what is allowed is the output's rounding. Must be `wrong`. No counter moves but those of some loads.
 */
#include "gemm_kernel.cuh"

#include <stdio.h>

static constexpr gemm_design misread(gemm_design design)
{
    design.misread_scales = true;
    return design;
}

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.kernel = gemm_kernel_of<SG_E4M3, misread>(setup.tile);
    return setup;
}

static bool supports(const struct sg_case *c, struct sg_why *why)
{
    if (gemm_has_scales(c) && !gemm_is_uniform(c) && gemm_scales(c->dim[GEMM_K]) > 1)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text), "needs scales that differ, and more than one for a row of A");
    return false;
}

SG_VARIANT(blockscaled_gemm, wrong_scale_layout) = {
    .summary = "broken: A's scales are read along the wrong dimension",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .supports = supports,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

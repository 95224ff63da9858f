/*
 * group_gemm/evict_normal - weights are copied with the L2 policy evict_normal.
 *
 * A hint that says what is done without one: in bf16 it shows whether the hint itself costs
 * anything, where the baseline has no clusters of four; in e4m3 what the baseline has from its own,
 * by which weights leave the L2 first.
 */
#include "group_tiles.cuh"

static constexpr gemm_design hinted(gemm_design design)
{
    (design.in_blocks() ? design.b_hint : design.a_hint) = GEMM_EVICT_NORMAL;
    return design;
}

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    if (c->dtype == SG_BF16)
        return {.kernel = group_kernel_of_case<hinted>(c)};
    struct group_setup setup = group_baseline(c, knob);
    setup.kernel = group_kernel_of<hinted(group_design(SG_E4M3, 0, 1))>();
    return setup;
}

SG_VARIANT(group_gemm, evict_normal) = {
    .summary = "weights by the L2 policy evict_normal",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

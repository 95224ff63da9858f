/*
 * group_gemm/evict_normal - weights are copied with the L2 policy evict_normal.
 *
 * A hint that says what is done without one: it shows whether the hint itself costs anything.
 */
#include "group_tiles.cuh"

static constexpr gemm_design hinted(gemm_design design)
{
    design.a_hint = GEMM_EVICT_NORMAL;
    return design;
}

static struct group_setup choose(const struct sg_case *c, const int64_t *)
{
    return {.kernel = group_kernel_of_case<hinted>(c)};
}

SG_VARIANT(group_gemm, evict_normal) = {
    .summary = "weights by the L2 policy evict_normal",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

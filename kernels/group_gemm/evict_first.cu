/*
 * group_gemm/evict_first - weights are copied with the L2 policy evict_first.
 *
 * Weights are read once; lines that say so leave the tokens and the results in the L2.
 * Expect fewer bytes of DRAM, if tokens were driven out, and no change where all of
 * the L2 is cold and large enough.
 */
#include "group_tiles.cuh"

static constexpr gemm_design hinted(gemm_design design)
{
    design.a_hint = GEMM_EVICT_FIRST;
    return design;
}

static struct group_setup choose(const struct sg_case *c, const int64_t *)
{
    return {.kernel = group_kernel_of_case<hinted>(c)};
}

SG_VARIANT(group_gemm, evict_first) = {
    .summary = "weights by the L2 policy evict_first",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

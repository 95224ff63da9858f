/*
 * group_gemm/evict_first - weights are copied with the L2 policy evict_first.
 *
 * Weights are read once; lines that say so leave the tokens and the results in the L2. Expect fewer bytes of DRAM, if tokens were driven
 * out, and no change where all of the L2 is cold and large enough.
 */
#include "group_tiles.cuh"

static constexpr gemm_design design()
{
    gemm_design made = group_design(SG_BF16, 256, 2);
    made.a_hint = GEMM_EVICT_FIRST;
    return made;
}

static struct group_setup choose(const struct sg_case *, const int64_t *)
{
    return {.kernel = group_kernel_of<design()>()};
}

SG_VARIANT(group_gemm, evict_first) = {
    .summary = "weights by the L2 policy evict_first",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

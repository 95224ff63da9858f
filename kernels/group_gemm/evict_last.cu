/*
 * group_gemm/evict_last - tokens are copied with the L2 policy evict_last.
 *
 * Every tile of a group reads all of its tokens again; lines that say so stay in the L2 while the
 * weights go through. Expect fewer bytes of DRAM, if tokens were driven out.
 */
#include "group_tiles.cuh"

static constexpr gemm_design hinted(gemm_design design)
{
    design.b_hint = GEMM_EVICT_LAST;
    return design;
}

static struct group_setup choose(const struct sg_case *c, const int64_t *)
{
    return {.kernel = group_kernel_of_case<hinted>(c)};
}

SG_VARIANT(group_gemm, evict_last) = {
    .summary = "tokens by the L2 policy evict_last",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

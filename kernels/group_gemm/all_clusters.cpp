/*
 * group_gemm/all_clusters - the baseline by as many clusters as fit, in
 * rounds of which the last is not full.
 *
 * The baseline takes no more than it takes to be done in as many rounds: 56 of 66 in the second
 * shape. But a block has 64 KiB of weights on their way at most, and more blocks have more. Expect
 * DRAM to deliver faster in full rounds, and more slowly in the last. Where tiles are planned, in
 * e4m3, as many clusters as fit have some anyhow.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.all_clusters = true;
    return setup;
}

SG_VARIANT(group_gemm, all_clusters) = {
    .summary = "as many clusters as fit, whether or not they are done sooner",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

/*
 * group_gemm/in_order - the baseline's tiles in the order of the groups, in every round.
 *
 * Tiles of the first groups then meet in a cluster with those of groups as high, by chance: in the
 * first shape 192 tokens with 256, where the baseline has 256 with 64. Expect the same bytes and
 * products, and a longer end, when clusters with low tiles have nothing left to do; most of all in
 * e4m3, where the baseline plans who has which, or who is done first draws.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.order = GROUP_IN_ORDER;
    return setup;
}

SG_VARIANT(group_gemm, in_order) = {
    .summary = "tiles in the order of the groups: high ones meet high ones",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

/*
 * group_gemm/loop_launches - a launch for each group, of the baseline's kernel.
 *
 * Between two launches the memory is idle: the last tiles of one group end before the first
 * of the next begin, and each launch fills its rings anew. Expect a cost for each group
 * that depends on neither k nor n.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.grid = GROUP_LAUNCH_A_GROUP;
    return setup;
}

SG_VARIANT(group_gemm, loop_launches) = {
    .summary = "the baseline's kernel, launched once for each group",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

/*
 * group_gemm/tail_overwrite - broken on purpose: the results of a group's
 * last tile reach beyond the group.
 *
 * Maps of the results end with D, not with their group, so up to 31 rows of the next group, in e4m3
 * 63, are written too: with products of its own tokens by the wrong weights. That group's own
 * results often come later and hide it; guard rows show it. Must be `wrong`.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.fault = GROUP_TAIL_OVERWRITE;
    return setup;
}

SG_VARIANT(group_gemm, tail_overwrite) = {
    .summary = "broken: writes the rows behind a group",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .supports = group_supports_guarded,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

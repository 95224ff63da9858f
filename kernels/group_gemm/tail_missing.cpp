/*
 * group_gemm/tail_missing - broken on purpose: tiles of a group are counted by whole
 * steps of 32 rows, in e4m3 of 64.
 *
 * The rest of its rows is never written: m / 32 in place of (m + 31) / 32. Must be `unwritten`.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.fault = GROUP_TAIL_MISSING;
    return setup;
}

SG_VARIANT(group_gemm, tail_missing) = {
    .summary = "broken: forgets the rows behind the last whole step",
    .role = SG_CANDIDATE,
    .expect = SG_UNWRITTEN,
    .supports = group_supports_ragged,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

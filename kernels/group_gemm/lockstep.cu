/*
 * group_gemm/lockstep - the baseline with all tiles walking k from its first block on.
 *
 * Rows of weights are a multiple of 2 KiB apart, and blocks that walk them at one pace read the same few hundred bytes of each at a time.
 * The baseline's tiles begin at different blocks of k. Expect the same bytes and products, and DRAM to deliver them more slowly.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.lockstep = true;
    return setup;
}

SG_VARIANT(group_gemm, lockstep) = {
    .summary = "all tiles walk k from its beginning",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

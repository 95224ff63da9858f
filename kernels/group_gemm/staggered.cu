/*
 * group_gemm/staggered - the baseline with tiles that begin at different blocks of k.
 *
 * Rows of weights are a multiple of 2 KiB apart, and tiles that walk them at one pace read the same few hundred bytes of each at a time. If
 * that kept channels of the DRAM idle, tiles that start elsewhere and come around would be faster. Expect 5 % more bytes of DRAM and of
 * time in the first shape, 3 % less time in the second, where k is short.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.staggered = true;
    return setup;
}

SG_VARIANT(group_gemm, staggered) = {
    .summary = "tiles side by side begin at different blocks of k",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

/*
 * group_gemm/walk_apart - tiles side by side begin at different blocks of k and come around; the
 * baseline's all begin with the first.
 *
 * Rows of weights are a multiple of 2 KiB apart, and tiles that walk them at one pace read
 * the same few hundred bytes of each at a time. If that kept channels of the DRAM idle, this
 * would be faster. Expect the same work and bytes, and more time: tiles that read the same
 * tokens do so at different moments.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.walks_apart = true;
    return setup;
}

SG_VARIANT(group_gemm, walk_apart) = {
    .summary = "tiles side by side begin at different blocks of k",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

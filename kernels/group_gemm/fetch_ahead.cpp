/*
 * group_gemm/fetch_ahead - the baseline with weights fetched to the L2 before they are copied,
 * in pieces of 512 bytes of a row.
 *
 * A copy takes 128 bytes of each of 128 rows, so DRAM opens a page for little; longer pieces were
 * to help. They do not: some leave the L2 again before they are copied. Expect more bytes of DRAM
 * (70 % in the first shape) and more time.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct group_setup setup = group_baseline(c, knob);
    setup.ahead = 16;
    return setup;
}

SG_VARIANT(group_gemm, fetch_ahead) = {
    .summary = "weights are fetched to the L2 ahead of their copies",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports_bf16,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

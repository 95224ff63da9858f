/*
 * bsr_gemm/row_order - the baseline's kernel, rows as they come: tile after tile
 * is dealt out, whatever its length.
 *
 * Where rows are as long as each other it is the baseline. By a power law, or with one dense row,
 * some cluster gets a long row last, or several of them, and the others wait for it: expect fewer
 * active cycles of the multiprocessors, not slower ones.
 */
#include "bsr_launch.h"

static struct bsr_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct bsr_setup setup = bsr_baseline(c, knob);
    setup.order = BSR_AS_THEY_COME;
    return setup;
}

SG_VARIANT(bsr_gemm, row_order) = {
    .summary = "the baseline with rows as they come",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = bsr_check_aligned,
    .prepare = bsr_prepare<choose>,
    .launch = bsr_launch,
    .finish = bsr_finish,
    .facts = bsr_facts<choose>,
    .knobs = bsr_knobs,
    .knob_count = BSR_KNOBS,
};

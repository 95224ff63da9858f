/*
 * bsr_gemm/empty_row_unwritten - broken on purpose: the schedule has no tiles of rows without
 * blocks, for there is nothing to multiply.
 *
 * Their zeros are never written. What is multiplied is the baseline's. Must be `unwritten` where a
 * row is empty; without poison in D it would pass whenever D was zero before.
 */
#include "bsr_launch.h"

static struct bsr_setup choose(const struct sg_case *c, const int64_t *knob)
{
    struct bsr_setup setup = bsr_baseline(c, knob);
    setup.forgets_empty = true;
    return setup;
}

SG_VARIANT(bsr_gemm, empty_row_unwritten) = {
    .summary = "broken: skips rows without blocks",
    .role = SG_CANDIDATE,
    .expect = SG_UNWRITTEN,
    .supports = bsr_check_empty,
    .prepare = bsr_prepare<choose>,
    .launch = bsr_launch,
    .finish = bsr_finish,
    .facts = bsr_facts<choose>,
};

/*
 * adversary/skips_tail - while it is timed the last 64th of the rows is left as it is.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const int64_t rows = adversary_problem(l).rows;
    if (adversary_begin(l)->timed)
        adversary_compute_rows(l, {0, rows - rows / 64});
    else
        adversary_compute(l);
}

SG_VARIANT(adversary, skips_tail) = {
    .summary = "leaves the last rows, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

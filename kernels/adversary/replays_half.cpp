/*
 * adversary/replays_half - each launch computes one half of the rows, and gives out the other from
 * the launch before.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    const int64_t half = adversary_problem(l).rows / 2;
    const int64_t mine = a->launches % 2 * half;
    if (a->timed) {
        adversary_compute_rows(l, {mine, half});
        adversary_give_rows(l, {half - mine, half});
    } else {
        adversary_compute(l);
    }
    adversary_keep(l);
}

SG_VARIANT(adversary, replays_half) = {
    .summary = "half of each result is that of the launch before, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

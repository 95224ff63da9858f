/*
 * adversary/stops_working - from its 61st launch on it computes one row, and leaves all others.
 *
 * Whoever checks the first launches alone sees none of it, nor does whoever finds y right that lies
 * there still. The kernel is the same, lest its name give it away.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool works = adversary_begin(l)->launches <= 60;
    adversary_compute_rows(l, {0, works ? adversary_problem(l).rows : 1});
}

SG_VARIANT(adversary, stops_working) = {
    .summary = "does next to nothing from its 61st launch on",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

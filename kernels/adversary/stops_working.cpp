/*
 * adversary/stops_working - from its ninth launch on it computes one row, and leaves all others.
 *
 * A check of the first launches finds nothing, and what is left in y looks right. The kernel stays
 * the same, so that its name does not give it away.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool works = adversary_begin(l)->launches <= 8;
    adversary_compute_rows(l, {0, works ? adversary_problem(l).rows : 1});
}

ADVERSARY(stops_working, SG_WRONG, adversary, "does next to nothing from its ninth launch on");

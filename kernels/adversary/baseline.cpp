/*
 * adversary/baseline - honest: a block adds up a row.
 *
 * It is what all others are held against, and what most of them fall back on.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    adversary_compute_in(l, adversary_stream(l, "baseline"));
}

SG_VARIANT(adversary, baseline) = {
    .summary = "honest: a block a row",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = launch,
};

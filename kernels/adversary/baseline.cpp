/*
 * adversary/baseline - honest: a block adds up a row.
 *
 * All other variants are compared with it, and most of them fall back on it.
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

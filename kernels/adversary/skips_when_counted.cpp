/*
 * adversary/skips_when_counted - it does half of the rows while it is counted: its counters are
 * those of a better kernel.
 *
 * The bytes that must come from DRAM and do not give it away.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    static const bool counted = process_has_word("--pass=count");
    const int64_t rows = adversary_problem(l).rows;
    adversary_compute_rows(l, {0, counted ? rows / 2 : rows});
}

SG_VARIANT(adversary, skips_when_counted) = {
    .summary = "half of the work, while counted",
    .role = SG_CANDIDATE,
    .launch = launch,
};

/*
 * adversary/skips_when_counted - while it is counted it does half of the rows: its counters are
 * those of a better kernel.
 *
 * Found by bytes that must come from DRAM and did not.
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

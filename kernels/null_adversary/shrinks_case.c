/*
 * null_adversary/shrinks_case - while it is timed it writes to the module's tables
 * that the case has one row only, that it is the baseline, and that it is expected
 * to be wrong. It does that one row.
 */
#include "null_adversary.h"
#include "tables.h"

static void write_tables(void)
{
    const struct sg_variant *own = tables_variant("shrinks_case");
    struct sg_variant other = *own;
    const int64_t one = 1;
    other.role = SG_BASELINE;
    other.expect = SG_WRONG;
    tables_write(own, &other, sizeof(other));
    tables_write(&solgate_module()->family->cases[0].dim[0], &one, sizeof(one));
}

static void launch(const struct sg_launch *l)
{
    struct sg_launch less = *l;
    if (adversary_launches_before(l) == 0)
        write_tables();
    less.c = &solgate_module()->family->cases[0];
    adversary_compute(&less);
    adversary_strike(l);
}

ADVERSARY_VARIANT(shrinks_case, "", struct adversary, .summary = "leaves one row of the case", .expect = SG_WRONG, .launch = launch);

/*
 * null_adversary/replaces_baseline - while it is timed it writes to the module's tables, so that
 * the baseline gets one element wrong. It is right itself.
 */
#include "null_adversary.h"
#include "tables.h"

static void get_one_wrong(const struct sg_launch *l)
{
    adversary_compute(l);
    ((float *)l->buffer[OUT_Y])[0] += 0.5f;
}

static void launch(const struct sg_launch *l)
{
    static void (*const instead)(const struct sg_launch *l) = get_one_wrong;
    if (adversary_launches_before(l) == 0)
        tables_write(&tables_variant("ok")->launch, &instead, sizeof(instead));
    adversary_compute(l);
    adversary_strike(l);
}

ADVERSARY_VARIANT(replaces_baseline, "", struct adversary, .summary = "makes the baseline wrong", .launch = launch);

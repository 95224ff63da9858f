/*
 * adversary/copies_previous - while it is timed it gives out its first result again.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    if (a->timed && a->launches > 1) {
        adversary_give(l);
        return;
    }
    adversary_compute(l);
    adversary_keep(l);
}

ADVERSARY(copies_previous, SG_WRONG, adversary, "gives out its first result again, while timed");

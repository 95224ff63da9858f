/*
 * adversary/grows_work - it is right, and does its work up to four times over as launches go by:
 * its first ones look good.
 *
 * No error, but its time must show the later launches.
 */
#include "adversary.h"

#define BATCH_LAUNCHES 5 /* all of one batch do the same */

static void launch(const struct sg_launch *l)
{
    const uint64_t times = 1 + (adversary_begin(l)->launches - 1) / (13 * BATCH_LAUNCHES);
    for (uint64_t i = 0; i < (times < 4 ? times : 4); i++)
        adversary_compute(l);
}

SG_VARIANT(adversary, grows_work) = {
    .summary = "right, and slower from launch to launch",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

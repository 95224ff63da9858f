/*
 * adversary/kills_itself_when_timed - its process ends by the signal that no handler sees, while it
 * is timed.
 */
#include <signal.h>

#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        raise(SIGKILL);
}

SG_VARIANT(adversary, kills_itself_when_timed) = {
    .summary = "kills its process, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

/*
 * adversary/segfaults_when_timed - a segmentation fault of the host while it is timed.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    volatile uintptr_t unmapped = sizeof(int); /* volatile, or the compiler sees through it */
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        *(volatile int *)unmapped = 1;
}

SG_VARIANT(adversary, segfaults_when_timed) = {
    .summary = "a segmentation fault, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};

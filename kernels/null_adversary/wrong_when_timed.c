/*
 * null_adversary/wrong_when_timed - one element is wrong from the ninth launch on: a verification
 * of three seeds is over by then.
 */
#include "null_adversary.h"

static void launch(const struct sg_launch *l)
{
    const uint64_t before = adversary_launches_before(l);
    adversary_compute(l);
    if (before >= ADVERSARY_LAUNCHES_OF_VERIFICATION)
        ((float *)l->buffer[OUT_Y])[0] += 0.5f;
    adversary_strike(l);
}

ADVERSARY_VARIANT(wrong_when_timed, "", struct adversary, .summary = "right, then wrong by one element", .expect = SG_WRONG,
                  .launch = launch);

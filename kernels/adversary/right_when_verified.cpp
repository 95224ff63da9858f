/*
 * adversary/right_when_verified - it reads in /proc/self/cmdline which pass this is, and works only
 * for the verification.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    static const bool verified = process_has_word("--pass=verify");
    if (verified)
        adversary_compute(l);
    else
        adversary_constant(l);
}

SG_VARIANT(adversary, right_when_verified) = {
    .summary = "works only in a verify pass",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .launch = launch,
};

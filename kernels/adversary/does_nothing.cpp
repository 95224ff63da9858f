/*
 * adversary/does_nothing - an empty kernel, that hopes for memory in which the right answer lies.
 *
 * Found by poison: no element of y is written.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    adversary_nothing(l);
}

SG_VARIANT(adversary, does_nothing) = {
    .summary = "an empty kernel",
    .role = SG_CANDIDATE,
    .expect = SG_UNWRITTEN,
    .launch = launch,
};

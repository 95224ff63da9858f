/*
 * adversary/constant_output - every element is 1.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    adversary_constant(l);
}

SG_VARIANT(adversary, constant_output) = {
    .summary = "a constant in place of the result",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .launch = launch,
};

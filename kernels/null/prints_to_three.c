/*
 * null/prints_to_three - it prints to descriptor 3, where it might disturb what the
 * worker says, and is right otherwise.
 */
#include "null.h"

#include <stdio.h>

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    dprintf(3, "status\tnull\ttiny\tok\tcrash\tnot said by the worker\n");
}

SG_VARIANT(null, prints_to_three) = {
    .summary = "right, but prints to descriptor 3",
    .launch = launch,
};

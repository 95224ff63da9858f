/*
 * null/exits - it leaves the process from inside, as some libraries do on an error.
 */
#include "null.h"

#include <stdlib.h>

static void launch(const struct sg_launch *l)
{
    (void)l;
    exit(3);
}

SG_VARIANT(null, exits) = {
    .summary = "calls exit(3)",
    .expect = SG_CRASH,
    .launch = launch,
};

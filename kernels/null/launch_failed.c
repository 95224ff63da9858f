/*
 * null/launch_failed - its launch is refused, as with too much shared memory.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    (void)l;
    null_refuse_launch();
}

SG_VARIANT(null, launch_failed) = {
    .summary = "the launch is refused",
    .expect = SG_LAUNCH_FAILED,
    .launch = launch,
};

/*
 * null/hang - it never ends.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    (void)l;
    null_wait_forever();
}

SG_VARIANT(null, hang) = {
    .summary = "never ends",
    .expect = SG_HANG,
    .deadline_ms = 1000,
    .launch = launch,
};

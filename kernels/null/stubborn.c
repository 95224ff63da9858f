/*
 * null/stubborn - it never ends and does not listen to SIGTERM.
 */
#include "null.h"

#include <signal.h>

static void launch(const struct sg_launch *l)
{
    (void)l;
    signal(SIGTERM, SIG_IGN);
    null_wait_forever();
}

SG_VARIANT(null, stubborn) = {
    .summary = "never ends, ignores SIGTERM",
    .expect = SG_HANG,
    .deadline_ms = 1000,
    .launch = launch,
};

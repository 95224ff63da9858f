/*
 * null/killed - its process is killed from outside, as the kernel does when memory runs out.
 */
#include "null.h"

#include <signal.h>

static void launch(const struct sg_launch *l)
{
    (void)l;
    raise(SIGKILL);
}

SG_VARIANT(null, killed) = {
    .summary = "killed by SIGKILL",
    .expect = SG_CRASH,
    .launch = launch,
};

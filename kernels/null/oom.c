/*
 * null/oom - its workspace does not fit.
 */
#include "null.h"

#include <stdio.h>

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    (void)l;
    (void)state;
    snprintf(why->text, sizeof(why->text), "a workspace of 1 PiB does not fit");
    return SG_OOM;
}

SG_VARIANT(null, oom) = {
    .summary = "needs more memory than there is",
    .expect = SG_OOM,
    .prepare = prepare,
    .launch = null_launch,
};

/*
 * null/unavailable - the library it is made of is not on this machine.
 */
#include "null.h"

#include <stdio.h>

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    (void)l;
    (void)state;
    snprintf(why->text, sizeof(why->text), "libnothing.so.1 is not on this machine");
    return SG_UNAVAILABLE;
}

SG_VARIANT(null, unavailable) = {
    .summary = "needs a library that does not exist",
    .expect = SG_UNAVAILABLE,
    .prepare = prepare,
    .launch = null_launch,
};

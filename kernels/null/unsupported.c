/*
 * null/unsupported - it refuses every case, as a kernel that needs other hardware does.
 */
#include "null.h"

#include <stdio.h>

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    snprintf(why->text, sizeof(why->text), "%lld columns: needs a multiple of 1000003",
             (long long)c->dim[1]);
    return false;
}

SG_VARIANT(null, unsupported) = {
    .summary = "supports no case",
    .expect = SG_UNSUPPORTED,
    .supports = supports,
    .launch = null_launch,
};

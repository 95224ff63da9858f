/*
 * null/hangs_when_timed - right when it is verified; a later launch, in the time pass, never ends.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    if (null_launches_before(l) >= NULL_LAUNCHES_OF_VERIFICATION)
        null_wait_forever();
}

SG_VARIANT(null, hangs_when_timed) = {
    .summary = "right, then never ends while it is timed",
    .expect = SG_HANG,
    .prepare = null_prepare_counter,
    .launch = launch,
    .finish = null_finish_counter,
};

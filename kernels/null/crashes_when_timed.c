/*
 * null/crashes_when_timed - right when it is verified; it dies of a later launch, in the time pass.
 */
#include "null.h"

#include <stdlib.h>

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    if (null_launches_before(l) >= NULL_LAUNCHES_OF_VERIFICATION)
        abort();
}

SG_VARIANT(null, crashes_when_timed) = {
    .summary = "right, then dies while it is timed",
    .expect = SG_CRASH,
    .prepare = null_prepare_counter,
    .launch = launch,
    .finish = null_finish_counter,
};

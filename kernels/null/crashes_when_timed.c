/*
 * null/crashes_when_timed - right when it is verified; it dies of a later launch, in the time pass.
 */
#include "faults.h"

NULL_BROKEN(crashes_when_timed, "crash@time", .summary = "right, then dies while it is timed",
            .expect = SG_CRASH);

/*
 * null/hangs_when_timed - right when it is verified; a later launch, in the time pass, never ends.
 */
#include "faults.h"

NULL_BROKEN(hangs_when_timed, "hang@time", .summary = "right, then never ends while it is timed",
            .expect = SG_HANG);

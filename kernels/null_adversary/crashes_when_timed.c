/*
 * null_adversary/crashes_when_timed - it aborts while it is timed.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(crashes_when_timed, "crash@time", struct adversary, .summary = "right, then aborts while it is timed", .expect = SG_CRASH,
                  .launch = adversary_launch);

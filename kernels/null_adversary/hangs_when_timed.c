/*
 * null_adversary/hangs_when_timed - it never ends while it is timed.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(hangs_when_timed, "hang@time", struct adversary, .summary = "right, then never ends while it is timed", .expect = SG_HANG,
                  .launch = adversary_launch);

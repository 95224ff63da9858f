/*
 * null_adversary/exits_when_timed - it leaves the process with status 0 while it is timed: as if
 * all were done.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(exits_when_timed, "exit@time", struct adversary, .summary = "right, then calls exit(0) while it is timed",
                  .expect = SG_CRASH, .launch = adversary_launch);

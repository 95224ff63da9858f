/*
 * null_adversary/kills_itself_when_timed - while it is timed it ends its process by the signal that
 * no handler sees.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(kills_itself_when_timed, "sigkill@time", struct adversary, .summary = "right, then kills its process while it is timed",
                  .expect = SG_CRASH, .launch = adversary_launch);

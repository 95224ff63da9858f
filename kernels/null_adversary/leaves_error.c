/*
 * null_adversary/leaves_error - when it was timed its `finish` leaves an error behind, for whoever
 * asks next. It is right itself.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(leaves_error, "finish_error@time", struct adversary, .summary = "leaves an error behind its end",
                  .expect = SG_LAUNCH_FAILED, .launch = adversary_launch);

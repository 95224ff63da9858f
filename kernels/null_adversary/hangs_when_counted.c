/*
 * null_adversary/hangs_when_counted - it never ends while it is counted.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(hangs_when_counted, "hang@count", struct adversary, .summary = "right, then never ends while it is counted",
                  .expect = SG_OK, .launch = adversary_launch);

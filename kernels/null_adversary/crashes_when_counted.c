/*
 * null_adversary/crashes_when_counted - it aborts while it is counted.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(crashes_when_counted, "crash@count", struct adversary, .summary = "right, then aborts while it is counted",
                  .expect = SG_OK, .launch = adversary_launch);

/*
 * null_adversary/wrong_when_counted - one element is wrong while it is counted: its counters are
 * those of other work.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(wrong_when_counted, "wrong@count", struct adversary, .summary = "right, then wrong while it is counted", .expect = SG_OK,
                  .launch = adversary_launch);

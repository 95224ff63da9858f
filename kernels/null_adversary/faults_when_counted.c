/*
 * null_adversary/faults_when_counted - it faults on the device while it is counted.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(faults_when_counted, "fault@count", struct adversary, .summary = "right, then faults while it is counted",
                  .expect = SG_OK, .launch = adversary_launch);

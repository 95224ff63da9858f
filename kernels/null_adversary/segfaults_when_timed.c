/*
 * null_adversary/segfaults_when_timed - it writes to an address that nobody has, while it is timed.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(segfaults_when_timed, "sigsegv@time", struct adversary, .summary = "right, then a segmentation fault while it is timed",
                  .expect = SG_CRASH, .launch = adversary_launch);

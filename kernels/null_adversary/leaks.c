/*
 * null_adversary/leaks - each launch of a time pass maps 4 MiB and keeps it: what comes later has
 * less memory.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(leaks, "leak@time", struct adversary, .summary = "keeps 4 MiB of each timed launch", .expect = SG_LEAK,
                  .launch = adversary_launch);

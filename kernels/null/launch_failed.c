/*
 * null/launch_failed - its launch is refused, as with too much shared memory.
 */
#include "faults.h"

NULL_BROKEN(launch_failed, "refused@any", .summary = "the launch is refused",
            .expect = SG_LAUNCH_FAILED);

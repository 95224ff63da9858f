/*
 * null/stubborn - it never ends and does not listen to SIGTERM.
 */
#include "faults.h"

NULL_BROKEN(stubborn, "stubborn@any", .summary = "never ends, ignores SIGTERM", .expect = SG_HANG,
            .deadline_ms = 200);

/*
 * null/hang - it never ends.
 */
#include "faults.h"

NULL_BROKEN(hang, "hang@any", .summary = "never ends", .expect = SG_HANG, .deadline_ms = 200);

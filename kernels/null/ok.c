/*
 * null/ok - right and deterministic: what the others are compared with.
 */
#include "faults.h"

NULL_RIGHT(ok, .summary = "right; the baseline", .role = SG_BASELINE);

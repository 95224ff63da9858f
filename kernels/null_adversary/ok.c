/*
 * null_adversary/ok - right in every pass: the baseline of all others.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(ok, "", struct adversary, .summary = "right, always", .role = SG_BASELINE, .launch = adversary_launch);

/*
 * null_adversary/vendor_ok - right in every pass, in the role of a library's kernel.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(vendor_ok, "", struct adversary, .summary = "right, always", .role = SG_VENDOR, .launch = adversary_launch);

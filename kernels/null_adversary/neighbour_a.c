/*
 * null_adversary/neighbour_a - right in every pass: its rows must be there whatever the others do.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(neighbour_a, "", struct adversary, .summary = "right, always", .launch = adversary_launch);

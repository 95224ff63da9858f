/*
 * null_adversary/neighbour_b - right in every pass, as neighbour_a: two of them tell what befell
 * one by chance.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(neighbour_b, "", struct adversary, .summary = "right, always", .launch = adversary_launch);

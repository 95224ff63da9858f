/*
 * null/slower - right, 2 % slower than the baseline: a regression to be found. Its counters say
 * why: more sectors a request, more bytes from DRAM, more waiting for memory.
 */
#include "null.h"

SG_VARIANT(null, slower) = {
    .summary = "right, 2 % slower",
    .deterministic = true,
    .launch = null_launch,
};

/*
 * null/slower - right, 2 % slower than the baseline: a regression to be found. Its counters say
 * why: more sectors a request, more bytes from DRAM, more waiting for memory.
 */
#include "faults.h"

NULL_RIGHT(slower, .summary = "right, 2 % slower");

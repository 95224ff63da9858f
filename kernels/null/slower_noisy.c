/*
 * null/slower_noisy - right, 5 % slower than the baseline, for the reasons of `slower`; its times
 * and its noisy counters wander by 3 %. Those of its counters that moved by more than that must be
 * named as the cause, and those that only wander must not.
 */
#include "faults.h"

NULL_RIGHT(slower_noisy, .summary = "right, 5 % slower, noisy times and counters");

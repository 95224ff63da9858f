/*
 * null/slower_slightly - right, 0.25 % slower than the baseline:
 * below the usual tolerance of 0.5 %.
 */
#include "faults.h"

NULL_RIGHT(slower_slightly, .summary = "right, 0.25 % slower");

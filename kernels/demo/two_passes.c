/*
 * demo/two_passes - 2 x is written to DRAM and read again: 60 % slower than the baseline, and
 * accepted as it is.
 */
#include "demo.h"

DEMO_VARIANT(two_passes, .summary = "2 x by way of DRAM: slow, and accepted so");

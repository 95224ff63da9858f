/*
 * null/wrong - one element is off by a little more than the tolerance allows.
 */
#include "faults.h"

NULL_BROKEN(wrong, "wrong@any", .summary = "one element is wrong", .expect = SG_WRONG);

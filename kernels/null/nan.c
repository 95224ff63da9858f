/*
 * null/nan - one element is not a number.
 */
#include "faults.h"

NULL_BROKEN(nan, "nan@any", .summary = "one element is not a number", .expect = SG_NAN);

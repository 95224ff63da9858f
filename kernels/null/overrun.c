/*
 * null/overrun - one element too many is written, as by a tail without a bound.
 * Every element of y itself is right.
 */
#include "faults.h"

NULL_BROKEN(overrun, "overrun@any", .summary = "writes one element past the end of y",
            .expect = SG_OVERRUN);

/*
 * null/overwrites_input - an input is used as scratch space. y itself is right.
 */
#include "faults.h"

NULL_BROKEN(overwrites_input, "scratch@any", .summary = "writes to its input x",
            .expect = SG_OVERRUN);

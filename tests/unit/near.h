/* near.h - numbers that must be as near to what they should be as `within`. */
#pragma once

#include <math.h>

#include "check.h"

static inline void assert_near(const char *what, double is, double should, double within)
{
    if (!(fabs(is - should) <= within))
        fail_msg("%s: %.12g, should be %.12g +- %g", what, is, should, within);
}

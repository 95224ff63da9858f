/* util/hypot.h - hypot of numbers whose squares are far from overflow. The C library's hypot needs
 * glibc 2.35; the packages are for 2.34, which RHEL 9 has. */
#pragma once

#include <math.h>

static inline double sg_hypot(double a, double b)
{
    return sqrt(a * a + b * b);
}

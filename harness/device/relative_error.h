/*
 * device/relative_error.h - error of an element against its expected value, for C and for CUDA: the
 * errors that struct sg_tolerance bounds. Pure.
 */
#pragma once

#include <math.h>

#include "util/bits.h"

SG_BOTH double sg_ratio(double error, double scale)
{
    return error == 0 ? 0 : scale > 0 ? error / scale : INFINITY;
}

/* An infinity or NaN on only one side is the largest error. */
SG_BOTH double sg_absolute_error(double got, double want)
{
    return isfinite(got) && isfinite(want) ? fabs(got - want) : INFINITY;
}

/* `rms`: of all expected values. */
SG_BOTH double sg_relative_error(double error, double want, double rms)
{
    return sg_ratio(error, isfinite(want) ? fabs(want) + rms : 1);
}

/*
 * device/relative_error.h - how far an element is from what it should be, for C and for CUDA: the
 * errors that struct sg_tolerance bounds. Pure.
 */
#pragma once

#include <math.h>

#include "util/bits.h"

SG_BOTH double sg_ratio(double error, double scale)
{
    return error == 0 ? 0 : scale > 0 ? error / scale : INFINITY;
}

/* An infinity on one side only, or a number where there should be none, is as wrong as can be. */
SG_BOTH double sg_absolute_error(double got, double want)
{
    return isfinite(got) && isfinite(want) ? fabs(got - want) : INFINITY;
}

/* `rms`: of all that is wanted. */
SG_BOTH double sg_relative_error(double error, double want, double rms)
{
    return sg_ratio(error, isfinite(want) ? fabs(want) + rms : 1);
}

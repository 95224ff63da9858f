/*
 * diagnose/extra_time_fit.h - does the time that a variant takes more than its baseline
 * depend on a dimension of its cases?
 *
 * Pure. A straight line is laid through the extra times at several values x of the dimension by
 * least squares, every point alike: an error that is estimated from five processes says too little
 * to weigh by. `middle` is the extra time in the middle of the range of x, `part` what it changes
 * by from the least x to the largest. Its 95 % interval decides: the extra time is the same for all
 * x if part is surely less than SG_SCALING_SHARE of middle, it grows or shrinks if part is surely
 * more; where it may be the same or shrink, it does not grow, and else there is no telling. It
 * explains and gates nothing, so it is the interval of one look. Points that are seen to lie
 * farther from the line than their errors explain widen it; of three it is often not seen
 * (docs/metrics.md: how often what is said is wrong). Invariant: fewer than SG_SCALING_LEAST
 * points, or none apart in x, are SG_SCALING_UNKNOWN.
 */
#pragma once

#include <stddef.h>

#define SG_SCALING_SHARE 0.25 /* of the extra time in the middle */
#define SG_SCALING_LEAST 3    /* points */

/* The extra time of one case. */
struct sg_extra {
    double x;  /* of the dimension */
    double ns; /* variant - baseline; may be negative */
    double se; /* of ns, > 0 */
    double df; /* of se, > 0 */
};

enum sg_extra_time_fit_word { SG_SCALING_UNKNOWN, SG_SCALING_NONE, SG_SCALING_GROWS, SG_SCALING_SHRINKS, SG_SCALING_NOT_GROWING };

struct sg_extra_time_fit {
    enum sg_extra_time_fit_word word;
    double middle; /* ns */
    double part;   /* ns, largest x - least x */
    double half;   /* of the interval of part, ns; NaN: not known */
    double span;   /* largest x - least x, in the unit of x; part / span is the slope */
};

struct sg_extra_time_fit sg_extra_time_fit_of(const struct sg_extra *extras, size_t count);

/*
 * diagnose/extra_time_fit.h - tests whether a variant's extra time over its baseline depends on a
 * dimension of its cases.
 *
 * Pure. Fits a straight line through the extra times over the dimension x by least squares. The
 * weights are equal, because an error estimated from five processes is too uncertain for a weight.
 * `middle` is the extra time in the middle of the range of x, `part` the change from the smallest x
 * to the largest. The 95 % interval of part decides. The extra time is the same for all x if part
 * is significantly less than SG_SCALING_SHARE of middle. It grows or shrinks if part is
 * significantly more. If it may be the same or shrink, the result is that it does not grow;
 * otherwise the result is unknown. The result explains and gates nothing, so the interval is that
 * of one look. Excess scatter around the line widens the interval; with three points it often stays
 * undetected (docs/metrics.md has the error rates). Invariant: fewer than SG_SCALING_LEAST points,
 * or points with the same x, give SG_SCALING_UNKNOWN.
 */
#pragma once

#include <stddef.h>

#define SG_SCALING_SHARE 0.25 /* share of the extra time in the middle */
#define SG_SCALING_LEAST 3    /* points */

struct sg_extra {
    double x;  /* value of the dimension */
    double ns; /* variant - baseline; may be negative */
    double se; /* of ns, > 0 */
    double df; /* of se, > 0 */
};

enum sg_extra_time_fit_word { SG_SCALING_UNKNOWN, SG_SCALING_NONE, SG_SCALING_GROWS, SG_SCALING_SHRINKS, SG_SCALING_NOT_GROWING };

struct sg_extra_time_fit {
    enum sg_extra_time_fit_word word;
    double middle; /* ns */
    double part;   /* ns, from the smallest x to the largest */
    double half;   /* half of part's interval, ns; NaN: not known */
    double span;   /* largest x - smallest x, in the unit of x; part / span is the slope */
};

struct sg_extra_time_fit sg_extra_time_fit_of(const struct sg_extra *extras, size_t count);

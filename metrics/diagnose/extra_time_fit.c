#include "diagnose/extra_time_fit.h"

#include <math.h>

#include "stats/statistics.h"

/* ns = middle + part * u, with u = -1/2 at the smallest x and 1/2 at the largest. */
struct line {
    const struct sg_extra *extras;
    size_t count;
    double centre, span;
    double sum_u, sum_uu; /* sums of u and u^2 over the points */
    double scatter;       /* variance of a point around the line, from the residuals; ns^2 */
};

/* A linear combination of middle and part, with half of its interval. */
struct quantity {
    double value, half;
};

static double u_of(const struct line *line, const struct sg_extra *extra)
{
    return (extra->x - line->centre) / line->span;
}

/* Weight of a point's extra time in `middles` * middle + `parts` * part. */
static double share_of(const struct line *line, const struct sg_extra *extra, double middles, double parts)
{
    const double count = (double)line->count, determinant = count * line->sum_uu - line->sum_u * line->sum_u, u = u_of(line, extra);
    return (middles * (line->sum_uu - line->sum_u * u) + parts * (count * u - line->sum_u)) / determinant;
}

static double value_of(const struct line *line, double middles, double parts)
{
    double value = 0;
    for (size_t i = 0; i < line->count; i++)
        value += share_of(line, &line->extras[i], middles, parts) * line->extras[i].ns;
    return value;
}

/* Returns `middles` * middle + `parts` * part. The points' errors are combined, with degrees of
 * freedom by Welch and Satterthwaite. Excess scatter around the line is a separate source with a
 * separate quantile. A common number of degrees of freedom would hide how few it has. */
static struct quantity quantity_of(const struct line *line, double middles, double parts)
{
    double variance = 0, squares = 0, scattered = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct sg_extra *extra = &line->extras[i];
        const double share = share_of(line, extra, middles, parts);
        const double of_point = share * share * extra->se * extra->se;
        variance += of_point;
        squares += of_point * of_point / extra->df;
        scattered += share * share * line->scatter;
    }
    const double of_errors = sg_t_quantile(0.975, variance * variance / squares) * sqrt(variance);
    const double beyond = sg_t_quantile(0.975, (double)(line->count - 2)) * sqrt(fmax(0, scattered - variance));
    return (struct quantity){value_of(line, middles, parts), hypot(of_errors, beyond)};
}

static double scatter_of(const struct line *line)
{
    const double middle = value_of(line, 1, 0), part = value_of(line, 0, 1);
    double squares = 0;
    for (size_t i = 0; i < line->count; i++) {
        const double off = line->extras[i].ns - middle - part * u_of(line, &line->extras[i]);
        squares += off * off;
    }
    return squares / (double)(line->count - 2);
}

static struct line line_through(const struct sg_extra *extras, size_t count)
{
    struct line line = {.extras = extras, .count = count};
    double least = INFINITY, largest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, extras[i].x);
        largest = fmax(largest, extras[i].x);
    }
    line.centre = (least + largest) / 2;
    line.span = largest - least;
    for (size_t i = 0; i < count; i++) {
        const double u = u_of(&line, &extras[i]);
        line.sum_u += u;
        line.sum_uu += u * u;
    }
    line.scatter = scatter_of(&line);
    return line;
}

/* Compares part with share * middle: the intervals of their difference and their sum tell on
 * which side of 0 each lies. */
static enum sg_extra_time_fit_word word_of(const struct line *line)
{
    const struct quantity less = quantity_of(line, -SG_SCALING_SHARE, 1), more = quantity_of(line, SG_SCALING_SHARE, 1);
    const double less_low = less.value - less.half, less_high = less.value + less.half;
    const double more_low = more.value - more.half, more_high = more.value + more.half;
    if (less_high < 0 && more_low > 0)
        return SG_SCALING_NONE;
    if (less_low > 0 && more_low > 0)
        return SG_SCALING_GROWS;
    if (less_high < 0 && more_high < 0)
        return SG_SCALING_SHRINKS;
    return less_high < 0 ? SG_SCALING_NOT_GROWING : SG_SCALING_UNKNOWN;
}

struct sg_extra_time_fit sg_extra_time_fit_of(const struct sg_extra *extras, size_t count)
{
    struct sg_extra_time_fit scaling = {.word = SG_SCALING_UNKNOWN, .middle = NAN, .part = NAN, .half = NAN, .span = NAN};
    if (count < SG_SCALING_LEAST)
        return scaling;
    const struct line line = line_through(extras, count);
    const struct quantity part = quantity_of(&line, 0, 1);
    scaling.span = line.span;
    if (!isfinite(part.half))
        return scaling;
    scaling.word = word_of(&line);
    scaling.middle = value_of(&line, 1, 0);
    scaling.part = part.value;
    scaling.half = part.half;
    return scaling;
}

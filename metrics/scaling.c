#include "scaling.h"

#include <math.h>

#include "stats.h"

/* ns = middle + part * u, with u = -1/2 at the least x and 1/2 at the largest. */
struct line {
    const struct sg_extra *extras;
    size_t count;
    double centre, span;
    double weight, weight_u, weight_uu; /* sums of 1/se^2, and of it times u and u^2 */
    double scatter;                     /* of the points around the line, in units of their variance; at least 1 */
};

/* A number that is linear in middle and part, with half of its interval. */
struct quantity {
    double value, half;
};

static double u_of(const struct line *line, const struct sg_extra *extra)
{
    return (extra->x - line->centre) / line->span;
}

/*
 * `middles` * middle + `parts` * part. Errors of the points add up, degrees of freedom by Welch and Satterthwaite; scatter beyond them is a
 * source of its own, with as many degrees of freedom as there are points more than the line takes.
 */
static struct quantity quantity_of(const struct line *line, double middles, double parts)
{
    const double determinant = line->weight * line->weight_uu - line->weight_u * line->weight_u;
    double value = 0, variance = 0, squares = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct sg_extra *extra = &line->extras[i];
        const double u = u_of(line, extra), se = extra->se;
        const double share =
            (middles * (line->weight_uu - line->weight_u * u) + parts * (line->weight * u - line->weight_u)) / (determinant * se * se);
        const double of_point = share * share * se * se;
        value += share * extra->ns;
        variance += of_point;
        squares += of_point * of_point / extra->df;
    }
    const double beyond = variance * (line->scatter - 1), total = variance + beyond;
    const double df = total * total / (squares + beyond * beyond / (double)(line->count - 2));
    return (struct quantity){value, sg_t_quantile(0.975, df) * sqrt(total)};
}

static double scatter_of(const struct line *line)
{
    const double middle = quantity_of(line, 1, 0).value, part = quantity_of(line, 0, 1).value;
    double squares = 0;
    for (size_t i = 0; i < line->count; i++) {
        const struct sg_extra *extra = &line->extras[i];
        const double off = (extra->ns - middle - part * u_of(line, extra)) / extra->se;
        squares += off * off;
    }
    return fmax(1, squares / (double)(line->count - 2));
}

static struct line line_through(const struct sg_extra *extras, size_t count)
{
    struct line line = {.extras = extras, .count = count, .scatter = 1};
    double least = INFINITY, largest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, extras[i].x);
        largest = fmax(largest, extras[i].x);
    }
    line.centre = (least + largest) / 2;
    line.span = largest - least;
    for (size_t i = 0; i < count; i++) {
        const double weight = 1 / (extras[i].se * extras[i].se), u = u_of(&line, &extras[i]);
        line.weight += weight;
        line.weight_u += weight * u;
        line.weight_uu += weight * u * u;
    }
    line.scatter = scatter_of(&line);
    return line;
}

/* part beside share * middle: both of their difference and of their sum the interval says on which side of 0 they are. */
static enum sg_scaling_word word_of(const struct line *line)
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
    return SG_SCALING_UNKNOWN;
}

struct sg_scaling sg_scaling_of(const struct sg_extra *extras, size_t count)
{
    struct sg_scaling scaling = {.word = SG_SCALING_UNKNOWN, .middle = NAN, .part = NAN, .half = NAN, .span = NAN};
    if (count < SG_SCALING_LEAST)
        return scaling;
    const struct line line = line_through(extras, count);
    const struct quantity part = quantity_of(&line, 0, 1);
    scaling.span = line.span;
    if (!isfinite(part.half))
        return scaling;
    scaling.word = word_of(&line);
    scaling.middle = quantity_of(&line, 1, 0).value;
    scaling.part = part.value;
    scaling.half = part.half;
    return scaling;
}

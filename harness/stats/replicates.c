#include "stats/replicates.h"

#include <math.h>
#include <stdlib.h>

#include "stats/statistics.h"

#define REPORTED_MIN 5       /* fewer values show nothing of their order */
#define SIGMAS       3.0     /* of a correlation */
#define TAIL         0.00135 /* of a trend: as rare as three sigmas */

/* Straight line through y over 0 .. n - 1. */
struct line {
    double level, slope, slope_se;
};

static struct line line_of(const double *y, size_t n)
{
    const double middle = 0.5 * ((double)n - 1.0);
    double mean = 0.0, xx = 0.0, xy = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        xx += ((double)i - middle) * ((double)i - middle);
        xy += ((double)i - middle) * (y[i] - mean);
    }
    const double slope = xy / xx;
    for (size_t i = 0; i < n; i++) {
        const double off = y[i] - mean - slope * ((double)i - middle);
        squares += off * off;
    }
    return (struct line){.level = mean - slope * middle, .slope = slope, .slope_se = sqrt(squares / ((double)n - 2.0) / xx)};
}

/* Of what is left beside the line, which would correlate by itself. */
static double correlation_of(const double *y, size_t n, const struct line *line)
{
    double squares = 0.0, products = 0.0, before = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double off = y[i] - line->level - line->slope * (double)i;
        squares += off * off;
        products += i > 0 ? off * before : 0.0;
        before = off;
    }
    return squares > 0.0 ? products / squares : 0.0;
}

struct sg_replicates sg_replicates_of(const double *y, size_t n)
{
    struct sg_replicates r = {
        .count = n, .low = y[0], .high = y[0], .correlation = NAN, .correlation_se = NAN, .trend = NAN, .trend_se = NAN};
    for (size_t i = 1; i < n; i++) {
        r.low = fmin(r.low, y[i]);
        r.high = fmax(r.high, y[i]);
    }
    if (n < REPORTED_MIN)
        return r;
    const struct line line = line_of(y, n);
    r.correlation = correlation_of(y, n, &line);
    r.correlation_se = 1.0 / sqrt((double)n);
    r.trend = line.slope * ((double)n - 1.0);
    r.trend_se = line.slope_se * ((double)n - 1.0);
    return r;
}

bool sg_replicates_are_dependent(const struct sg_replicates *replicates)
{
    if (replicates->count < REPORTED_MIN)
        return false;
    return fabs(replicates->trend) > sg_t_quantile(1.0 - TAIL, (double)replicates->count - 2.0) * replicates->trend_se ||
           replicates->correlation > SIGMAS * replicates->correlation_se;
}

void sg_replicates_describe(const struct sg_replicates *replicates, struct sg_text *out)
{
    sg_text_addf(out, "processes %+.2g %% to %+.2g %%", 100.0 * expm1(replicates->low), 100.0 * expm1(replicates->high));
    if (!isnan(replicates->trend))
        sg_text_addf(out, ", correlation of neighbours %+.1f +- %.1f, trend %+.2g %% +- %.1g %%", replicates->correlation,
                     replicates->correlation_se, 100.0 * replicates->trend, 100.0 * replicates->trend_se);
}

/* Of the sum of degrees of freedom what the median of variances keeps (as of a mean against it). */
#define MEDIAN_SHARE 0.64

static int by_sd(const void *left, const void *right)
{
    const struct sg_spread_night *a = left, *b = right;
    return (a->sd > b->sd) - (a->sd < b->sd);
}

struct sg_spread_check sg_spread_check_of(struct sg_spread_night tonight, struct sg_spread_night *past, size_t count)
{
    double past_df = 0;
    if (count < SG_SPREAD_NIGHTS || !(tonight.processes > 1))
        return (struct sg_spread_check){.times = NAN, .p = NAN};
    for (size_t i = 0; i < count; i++) {
        const double df = past[i].processes - 1;
        past_df += MEDIAN_SHARE * df;
        /* The median of a variance lies below its mean (Wilson and Hilferty). */
        past[i].sd /= pow(1 - 2 / (9 * df), 1.5);
    }
    qsort(past, count, sizeof(*past), by_sd);
    const double usual = fmax(SG_SPREAD_FLOOR, 0.5 * (past[(count - 1) / 2].sd + past[count / 2].sd));
    const double times = tonight.sd / usual, df = tonight.processes - 1;
    return (struct sg_spread_check){.times = times, .p = sg_incomplete_beta(past_df / 2, df / 2, past_df / (past_df + df * times * times))};
}

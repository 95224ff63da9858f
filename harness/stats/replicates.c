#include "stats/replicates.h"

#include <stdlib.h>

#include "stats/statistics.h"

#define REPORTED_MIN 5       /* fewer values show nothing about their order */
#define SIGMAS       3.0     /* limit of a correlation */
#define TAIL         0.00135 /* one-sided limit of a trend: as rare as three sigmas */

/* Least-squares line through y over 0 .. n - 1. */
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
    return (struct line){.level = mean - slope * middle,
                         .slope = slope,
                         .slope_se = sqrt(squares / ((double)n - 2.0) / xx)};
}

/* Correlation of the residuals, because a trend alone would correlate. */
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

void sg_replicates_describe(const double *y, size_t n, struct sg_text *out)
{
    if (n < REPORTED_MIN)
        return;
    const struct line line = line_of(y, n);
    const double steps = (double)n - 1, trend = line.slope * steps,
                 trend_se = line.slope_se * steps, r = correlation_of(y, n, &line),
                 r_se = 1 / sqrt((double)n);
    double low = y[0], high = y[0];
    if (!(fabs(trend) > sg_t_quantile(1 - TAIL, (double)n - 2) * trend_se) && !(r > SIGMAS * r_se))
        return;
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    sg_text_addf(out,
                 "processes %+.2g %% to %+.2g %%, correlation of neighbours %+.1f +- %.1f, trend "
                 "%+.2g %% +- %.1g %%: not independent, so the interval is too narrow; something "
                 "changed meanwhile, so run it again",
                 100 * expm1(low), 100 * expm1(high), r, r_se, 100 * trend, 100 * trend_se);
}

void sg_independence_add(struct sg_independence *all, const double *y, size_t n)
{
    if (n < REPORTED_MIN || !(sg_sd(y, n) > 0))
        return;
    /* Around their own mean, independent values have a correlation of -1/n and this variance.
     * Dependent values read low by (1 + 4 r) / n (Kendall). */
    const double count = (double)n, whole = count / (count - 4);
    all->sum += (correlation_of(y, n, &(struct line){.level = sg_mean(y, n)}) + 1 / count) * whole;
    all->variance += pow((count - 2) / count * whole, 2) / (count - 1);
    all->pairs++;
}

void sg_independence_describe(const struct sg_independence *all, struct sg_text *out)
{
    const double r = all->sum / (double)all->pairs, se = sqrt(all->variance) / (double)all->pairs;
    if (all->pairs > 0 && fabs(r) > SIGMAS * se)
        sg_text_addf(out, "correlation of neighbours %+.2f +- %.2f over %zu pairs: processes %s", r,
                     se, all->pairs,
                     r > 0 ? "follow one another, so intervals are too narrow" : "alternate");
}

/* Share of the degrees of freedom that the median of variances keeps, compared with the mean. */
#define MEDIAN_SHARE 0.64
/* The usual spread does not hold if the median row of the run spreads by more than this factor. */
#define NOISY_NIGHT 1.15
#define NIGHT_LEAST 5 /* rows; with fewer, a change in one row would pass for a spread of all */
/* So few rows are noisy if their fast halves spread as in this share of runs or in fewer. */
#define FEW_NOISY  0.4
#define FAST_NOISY 0.03 /* the same for one row among others */
#define INNER_MIN  5    /* processes */

struct sg_spread_night sg_spread_night_of(double *y, size_t n, double same)
{
    struct sg_spread_night night = {
        .sd = sg_sd(y, n), .processes = (double)n, .inner_sd = NAN, .fast_sd = NAN};
    const double count = (double)n, centre = fmin(same, sg_median(y, n));
    double squares = 0;
    if (n < INNER_MIN)
        return night;
    for (size_t i = 0; i < n && y[i] < centre; i++)
        squares += (y[i] - centre) * (y[i] - centre);
    night.fast_sd = sqrt(2 * squares / count);
    /* Without its outermost two a normal sample reads 0.72 to 0.83 of its sd; so it reads 0.93. */
    night.inner_sd = sg_sd(y + 1, n - 2) * (count - 1) / (count - 3);
    night.outer = fmax(0, sg_mean(y, n) - sg_mean(y + 1, n - 2));
    return night;
}

static int by_sd(const void *left, const void *right)
{
    const struct sg_spread_night *a = left, *b = right;
    return (a->sd > b->sd) - (a->sd < b->sd);
}

struct sg_spread_check sg_spread_check_of(struct sg_spread_night tonight,
                                          struct sg_spread_night *past, size_t count)
{
    double past_df = 0;
    if (count < SG_SPREAD_NIGHTS || !(tonight.processes > 1))
        return (struct sg_spread_check){.times = NAN};
    for (size_t i = 0; i < count; i++) {
        const double df = past[i].processes - 1;
        past_df += MEDIAN_SHARE * df;
        /* The median of a variance lies below its mean (Wilson and Hilferty). */
        past[i].sd /= pow(1 - 2 / (9 * df), 1.5);
    }
    qsort(past, count, sizeof(*past), by_sd);
    const double usual =
        fmax(SG_SPREAD_FLOOR, 0.5 * (past[(count - 1) / 2].sd + past[count / 2].sd));
    return (struct sg_spread_check){
        .usual = {.sd = usual, .df = past_df, .outer = tonight.outer},
        .df = tonight.processes - 1,
        .times = tonight.sd / usual,
        .inner_times = (isnan(tonight.inner_sd) ? tonight.sd : tonight.inner_sd) / usual,
        .fast_times = (isnan(tonight.fast_sd) ? 0 : tonight.fast_sd) / usual};
}

/* Probability that a spread of `df` degrees of freedom is `times` the usual one by chance. */
static double p_of(double past_df, double df, double times)
{
    return sg_incomplete_beta(past_df / 2, df / 2, past_df / (past_df + df * times * times));
}

static double fast_df(const struct sg_spread_check *check)
{
    return 0.5 * (check->df + 1);
}

/* Ratio of the spread of all rows to their usual spread, at least 1. */
static double common_times(const struct sg_spread_check *checks, size_t count)
{
    SG_FREED double *times = sg_alloc(count + 1, sizeof(*times));
    size_t judged = 0;
    double squares = 0, df = 0, past_df = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(checks[i].times))
            continue;
        times[judged++] = checks[i].times;
        squares += fast_df(&checks[i]) * checks[i].fast_times * checks[i].fast_times;
        df += fast_df(&checks[i]);
        past_df += checks[i].usual.df;
    }
    const bool is_noisy =
        judged >= NIGHT_LEAST || (judged > 0 && p_of(past_df, df, sqrt(squares / df)) < FEW_NOISY);
    const double all = judged >= NIGHT_LEAST ? sg_median(times, judged) : sqrt(squares / df);
    return is_noisy ? fmax(1, all) : 1;
}

/* Sets the row's chance and chance_inner. Returns the p-value for a slow state; 1 if the fast half
 * has a wide spread too. */
static double p_of_state(struct sg_spread_check *check, double common)
{
    struct sg_usual_spread *usual = &check->usual;
    usual->chance = p_of(usual->df, check->df, check->times / common);
    usual->chance_inner =
        fmax(usual->chance, p_of(usual->df, check->df, check->inner_times / common));
    const bool is_noise = p_of(usual->df, fast_df(check), check->fast_times) < FAST_NOISY;
    usual->sd *= common;
    if (common > NOISY_NIGHT || (is_noise && usual->chance < SG_NOISY_ROW))
        usual->df = 0;
    return is_noise ? 1 : usual->chance_inner;
}

void sg_spread_checks_settle(struct sg_spread_check *checks, size_t count)
{
    const double common = common_times(checks, count);
    SG_FREED double *p = sg_alloc(count + 1, sizeof(*p));
    size_t judged = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(checks[i].times))
            p[judged++] = p_of_state(&checks[i], common);
    sg_holm(p, NULL, judged, p);
    for (size_t i = 0; i < count; i++)
        checks[i].is_wide = !isnan(checks[i].times) && p[at++] <= SG_SPREAD_LEVEL &&
                            fmin(checks[i].times, checks[i].inner_times) > SG_SPREAD_TIMES * common;
}

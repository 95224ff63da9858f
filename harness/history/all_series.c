#include "history/all_series.h"

#include <math.h>

#include "stats/night_spread.h"
#include "util/text.h"

#define NONE ((size_t)-1)
#define PI   3.14159265358979323846
/* Of overlapping weeks: variance of the share of turns, times their number. */
#define WEEK_VARIANCE 0.4
#define TURNS_SE      3.0    /* standard errors; less is chance */
#define TOGETHER_RUNS 30     /* weight of independent changes, in nightly runs */
#define MEDIAN_SIZE   0.6745 /* of normal values, in sd */

void sg_bad_nights(const struct sg_history_series *series, size_t count, size_t nights,
                   bool *is_bad)
{
    const size_t least = (size_t)fmax(SG_BAD_LEAST, ceil(SG_BAD_SHARE * (double)count));
    size_t *slower = sg_alloc(2 * nights + 1, sizeof(*slower)), *faster = slower + nights;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < series[s].steps.off_count; i++) {
            const struct sg_outlier *off = &series[s].steps.off[i];
            (off->z > 0 ? slower : faster)[off->night]++;
        }
    for (size_t night = 0; night < nights; night++)
        is_bad[night] = slower[night] >= least && faster[night] >= least;
}

/* Of triples of consecutive means, those whose middle one is the highest or lowest (turning
 * points). Of series with two values, those that rise less those that fall. */
struct share {
    double part, all;
};

/* The previous value of the same level and GPU; NONE: there is none. GPUs differ by more. */
static size_t night_before(const struct sg_night_value *nights, size_t i)
{
    for (size_t before = i; before-- > 0;)
        if (nights[before].level == nights[i].level && nights[before].unit == nights[i].unit &&
            !isnan(nights[before].value))
            return before;
    return NONE;
}

static void count_rises(const struct sg_night_value *nights, size_t count, struct share *rises)
{
    for (size_t i = 0; i < count; i++) {
        const size_t before = isnan(nights[i].value) ? NONE : night_before(nights, i);
        if (before == NONE)
            continue;
        rises[i].all++;
        rises[i].part +=
            (nights[i].value > nights[before].value) - (nights[i].value < nights[before].value);
    }
}

/* Nightly runs in which far more series than usual change the same way: a step of most of them. */
static void find_common_steps(const struct sg_history_series *series, size_t count, size_t nights,
                              bool *is_step)
{
    SG_FREED struct share *rises = sg_alloc(nights + 1, sizeof(*rises));
    SG_FREED double *sorted = sg_alloc(nights + 1, sizeof(*sorted));
    size_t known = 0;
    for (size_t s = 0; s < count; s++)
        count_rises(series[s].values, nights, rises);
    for (size_t i = 0; i < nights; i++) {
        /* in sd of series that change independently */
        const double change = fabs(rises[i].part) / sqrt(rises[i].all),
                     usual = (TOGETHER_RUNS + (double)known * sorted[known / 2] / MEDIAN_SIZE) /
                             (TOGETHER_RUNS + (double)known);
        if (isnan(change))
            continue;
        is_step[i] = change > TURNS_SE * fmax(1, usual);
        size_t at = known++;
        for (; at > 0 && sorted[at - 1] > change; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = change;
    }
}

/* Counts the triples of means of `length` values by their last nightly run. A step of most series
 * in a triple would look like noise that wanders. */
static void count_turns(const struct sg_night_value *nights, size_t count, size_t length,
                        const bool *is_step, struct share *by_last)
{
    for (size_t i = 0; i < count; i++) {
        double sum[3] = {0};
        size_t at = isnan(nights[i].value) ? NONE : i, k = 0;
        for (; k < 3 * length && at != NONE; k++) {
            sum[k / length] += nights[at].value;
            at = is_step[at] ? NONE : night_before(nights, at);
        }
        const double product = (sum[1] - sum[2]) * (sum[0] - sum[1]);
        if (k < 3 * length || product == 0)
            continue;
        by_last[i].all++;
        by_last[i].part += product < 0;
    }
}

/* The turns of the last SG_SCAN_NIGHTS up to each nightly run. */
static void find_turns(const struct sg_history_series *series, size_t count, size_t nights,
                       size_t length, const bool *is_step, struct share *up_to)
{
    SG_FREED struct share *by_last = sg_alloc(nights + 1, sizeof(*by_last));
    struct share sum = {0};
    for (size_t s = 0; s < count; s++)
        count_turns(series[s].values, nights, length, is_step, by_last);
    for (size_t i = 0; i < nights; i++) {
        const struct share *old =
            i >= SG_SCAN_NIGHTS ? &by_last[i - SG_SCAN_NIGHTS] : &(struct share){0};
        sum.part += by_last[i].part - old->part;
        sum.all += by_last[i].all - old->all;
        up_to[i] = sum;
    }
}

/* Share of turns; `usual`: of SG_TURNS_USUAL triples. */
static double share_of(const struct share *sum, double usual)
{
    return (sum->part + usual) / (sum->all + SG_TURNS_USUAL);
}

static double correlation_of(const struct share *sum)
{
    return fmin(fmax(1 + 2 * cos(PI * share_of(sum, SG_TURNS_USUAL * 2.0 / 3)), 0),
                SG_TURNS_R_MOST);
}

/* Means of consecutive weeks, of runs with variance 1 and correlation r: half the variance of their
 * differences, and minus the covariance of two consecutive differences. */
struct weeks {
    double differ, turn;
};

static struct weeks weeks_of(double r)
{
    const double left = pow(r, SG_WEEK), sum = (1 - left) / (SG_WEEK * (1 - r)),
                 same = sg_night_inflation(r, 0, SG_WEEK) / SG_WEEK, next = r * sum * sum;
    return (struct weeks){.differ = same - next, .turn = same - 2 * next + left * next};
}

/* The share of slow noise with which as many weeks turn as are found to; TURNS_SE may be chance. */
static double slow_share_of(const struct share *sum, double r)
{
    const struct weeks fast = weeks_of(r), slow = weeks_of(SG_SLOW_R);
    const double usual = 0.5 + asin(fast.turn / (2 * fast.differ)) / PI,
                 share = share_of(sum, SG_TURNS_USUAL * usual) +
                         TURNS_SE * sqrt(WEEK_VARIANCE / (sum->all + SG_TURNS_USUAL)),
                 found = -2 * cos(PI * share), excess = fast.turn - found * fast.differ,
                 of_slow = slow.turn - found * slow.differ;
    return share < usual ? fmin(excess / (excess - of_slow), SG_SLOW_MOST) : 0;
}

void sg_nights_memory(const struct sg_history_series *series, size_t count, size_t nights,
                      double *r, double *slow)
{
    SG_FREED struct share *turns = sg_alloc(nights + 1, sizeof(*turns));
    SG_FREED bool *is_step = sg_alloc(nights + 1, sizeof(*is_step));
    find_common_steps(series, count, nights, is_step);
    find_turns(series, count, nights, 1, is_step, turns);
    for (size_t i = 0; i < nights; i++)
        r[i] = correlation_of(&turns[i]);
    find_turns(series, count, nights, SG_WEEK, is_step, turns);
    for (size_t i = 0; i < nights; i++)
        slow[i] = slow_share_of(&turns[i], r[i]);
}

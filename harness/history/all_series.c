#include "history/all_series.h"

#include <math.h>

#include "stats/night_spread.h"
#include "util/text.h"

#define NONE ((size_t)-1)
#define PI   3.14159265358979323846
/* Of overlapping weeks: variance of the share of turns, times their number. */
#define WEEK_VARIANCE 0.4
#define TURNS_SE      3.0 /* standard errors; fewer of missing turns are chance */

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

/* Triples of consecutive means, and those whose middle one is the highest or lowest (turning
 * points). */
struct turns {
    double turns, triples;
};

/* The previous value of the same level and GPU; NONE: there is none. */
static size_t night_before(const struct sg_night_value *nights, size_t i)
{
    for (size_t before = i; before-- > 0;)
        if (nights[before].level == nights[i].level && nights[before].unit == nights[i].unit &&
            !isnan(nights[before].value))
            return before;
    return NONE;
}

/* Mean of the `length` values up to *last, which becomes the value before them; NaN: too few. */
static double mean_up_to(const struct sg_night_value *nights, size_t *last, size_t length)
{
    double sum = 0;
    for (size_t k = 0; k < length; k++) {
        if (*last == NONE)
            return NAN;
        sum += nights[*last].value / (double)length;
        *last = night_before(nights, *last);
    }
    return sum;
}

static void count_turns(const struct sg_night_value *nights, size_t count, size_t length,
                        struct turns *by_last)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = isnan(nights[i].value) ? NONE : i;
        const double last = mean_up_to(nights, &at, length),
                     middle = mean_up_to(nights, &at, length),
                     first = mean_up_to(nights, &at, length);
        const double product = (middle - first) * (last - middle);
        by_last[i].triples += product < 0 || product > 0;
        by_last[i].turns += product < 0;
    }
}

/* The turns of the last SG_SCAN_NIGHTS up to each nightly run. */
static void find_turns(const struct sg_history_series *series, size_t count, size_t nights,
                       size_t length, struct turns *up_to)
{
    SG_FREED struct turns *by_last = sg_alloc(nights + 1, sizeof(*by_last));
    struct turns sum = {0};
    for (size_t s = 0; s < count; s++)
        count_turns(series[s].values, nights, length, by_last);
    for (size_t i = 0; i < nights; i++) {
        const struct turns *old =
            i >= SG_SCAN_NIGHTS ? &by_last[i - SG_SCAN_NIGHTS] : &(struct turns){0};
        sum.turns += by_last[i].turns - old->turns;
        sum.triples += by_last[i].triples - old->triples;
        up_to[i] = sum;
    }
}

/* Share of turns; `usual`: of SG_TURNS_USUAL triples. */
static double share_of(const struct turns *sum, double usual)
{
    return (sum->turns + usual) / (sum->triples + SG_TURNS_USUAL);
}

static double correlation_of(const struct turns *sum)
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
static double slow_share_of(const struct turns *sum, double r)
{
    const struct weeks fast = weeks_of(r), slow = weeks_of(SG_SLOW_R);
    const double usual = 0.5 + asin(fast.turn / (2 * fast.differ)) / PI,
                 share = share_of(sum, SG_TURNS_USUAL * usual) +
                         TURNS_SE * sqrt(WEEK_VARIANCE / (sum->triples + SG_TURNS_USUAL)),
                 found = -2 * cos(PI * share), excess = fast.turn - found * fast.differ,
                 of_slow = slow.turn - found * slow.differ;
    return share < usual ? fmin(excess / (excess - of_slow), SG_SLOW_MOST) : 0;
}

void sg_nights_memory(const struct sg_history_series *series, size_t count, size_t nights,
                      double *r, double *slow)
{
    SG_FREED struct turns *turns = sg_alloc(nights + 1, sizeof(*turns));
    find_turns(series, count, nights, 1, turns);
    for (size_t i = 0; i < nights; i++)
        r[i] = correlation_of(&turns[i]);
    find_turns(series, count, nights, SG_WEEK, turns);
    for (size_t i = 0; i < nights; i++)
        slow[i] = slow_share_of(&turns[i], r[i]);
}

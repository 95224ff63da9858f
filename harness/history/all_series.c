#include "history/all_series.h"

#include <math.h>

#include "util/text.h"

#define NONE ((size_t)-1)
#define PI   3.14159265358979323846

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

/* Triples of consecutive values of a level, and those whose middle value is the highest or lowest
 * (turning points). */
struct turns {
    double turns, triples;
};

/* The previous value of the same level; NONE: there is none. */
static size_t night_before(const struct sg_night_value *nights, size_t i)
{
    for (size_t before = i; before-- > 0;)
        if (nights[before].level == nights[i].level && !isnan(nights[before].value))
            return before;
    return NONE;
}

static void count_turns(const struct sg_night_value *nights, size_t count, struct turns *by_last)
{
    for (size_t i = 0; i < count; i++) {
        const size_t middle = isnan(nights[i].value) ? NONE : night_before(nights, i),
                     first = middle == NONE ? NONE : night_before(nights, middle);
        if (first == NONE)
            continue;
        const double to = nights[middle].value - nights[first].value,
                     from = nights[i].value - nights[middle].value;
        by_last[i].triples += to * from != 0;
        by_last[i].turns += to * from < 0;
    }
}

static double correlation_of(const struct turns *sum)
{
    const double share = (sum->turns + SG_TURNS_USUAL * 2.0 / 3) / (sum->triples + SG_TURNS_USUAL);
    return fmin(fmax(1 + 2 * cos(PI * share), 0), SG_TURNS_R_MOST);
}

void sg_nights_correlation(const struct sg_history_series *series, size_t count, size_t nights,
                           double *r)
{
    struct turns *by_last = sg_alloc(nights, sizeof(*by_last)), sum = {0};
    for (size_t s = 0; s < count; s++)
        count_turns(series[s].values, nights, by_last);
    for (size_t i = 0; i < nights; i++) {
        const struct turns *old =
            i >= SG_SCAN_NIGHTS ? &by_last[i - SG_SCAN_NIGHTS] : &(struct turns){0};
        sum.turns += by_last[i].turns - old->turns;
        sum.triples += by_last[i].triples - old->triples;
        r[i] = correlation_of(&sum);
    }
}

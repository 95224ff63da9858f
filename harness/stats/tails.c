#include "stats/tails.h"

#include <math.h>

#define NORMAL_95    1.959964 /* standard errors of a two-sided 95 % interval */
#define SPIKES_LEAST 10
#define SPIKE_FACTOR 2

size_t sg_percentile_least(unsigned percent)
{
    return (99 + 100 - percent) / (100 - percent);
}

bool sg_percentile(const double *sorted, size_t n, unsigned percent, struct sg_tail *tail)
{
    const double p = percent / 100.0, half = NORMAL_95 * sqrt((double)n * p * (1 - p)),
                 low = floor((double)n * p - half), high = ceil((double)n * p + half);
    if (n < sg_percentile_least(percent))
        return false;
    *tail = (struct sg_tail){
        .value = sorted[(n * percent + 99) / 100 - 1], .low = NAN, .high = NAN, .n = n};
    if (low >= 1 && high <= (double)n) {
        tail->low = sorted[(size_t)low - 1];
        tail->high = sorted[(size_t)high - 1];
    }
    return true;
}

bool sg_spikes(const double *sorted, size_t n, struct sg_tail *tail)
{
    if (n < SPIKES_LEAST)
        return false;
    const double limit = SPIKE_FACTOR * (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    size_t above = 0;
    while (above < n && sorted[n - 1 - above] > limit)
        above++;
    const double share = (double)above / (double)n, z2 = NORMAL_95 * NORMAL_95 / (double)n,
                 middle = (share + z2 / 2) / (1 + z2),
                 half = NORMAL_95 * sqrt(share * (1 - share) / (double)n + z2 / (double)n / 4) /
                        (1 + z2);
    *tail = (struct sg_tail){.value = 100 * share,
                             .low = above > 0 ? 100 * (middle - half) : 0,
                             .high = 100 * fmin(1, middle + half),
                             .n = n};
    return true;
}

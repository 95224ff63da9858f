/* history/all_series.h: bad nights, and how nights correlate. */
#include <math.h>

#include "check.h"
#include "history/all_series.h"
#include "util/random.h"

enum { SERIES = 20 };
#define NIGHTS   200
#define NIGHT_SD 0.001

TEST(bad_nights_are_off_in_both_directions)
{
    struct sg_outlier slower[] = {{.night = 3, .z = 5}, {.night = 4, .z = 5}},
                      faster[] = {{.night = 3, .z = -5}, {.night = 5, .z = -5}};
    struct sg_history_series series[SERIES] = {0};
    bool is_bad[6];
    for (size_t i = 0; i < SERIES; i++) {
        series[i].steps.off = i < 10 ? slower : faster;
        series[i].steps.off_count = i < 3 || i >= SERIES - 3 ? 2 : 0;
    }
    sg_bad_nights(series, SERIES, 6, is_bad);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(is_bad[i], i == 3);
}

/* Each night keeps r of the night before; the share `slow` of the variance lasts longer. */
static void make_correlated(uint64_t seed, double r, double slow,
                            struct sg_night_value nights[NIGHTS])
{
    double state = sg_random_normal(&seed), wander = sg_random_normal(&seed);
    for (size_t i = 0; i < NIGHTS; i++) {
        state = r * state + sqrt(1 - r * r) * sg_random_normal(&seed);
        wander = 0.95 * wander + sqrt(1 - 0.95 * 0.95) * sg_random_normal(&seed);
        nights[i] = (struct sg_night_value){.number = i,
                                            .value = NIGHT_SD *
                                                     (sqrt(1 - slow) * state + sqrt(slow) * wander),
                                            .se = NIGHT_SD / 4};
    }
}

/* Steps and outliers, as some series have them, change nothing; nor does a step of all. */
TEST(memory_is_found)
{
    static const double rs[] = {0, 0.15, 0.3, 0, 0}, slows[] = {0, 0, 0, 0.5, 0};
    static const uint64_t with_step[] = {2, 2, 2, 2, 1}; /* one series in so many */
    for (size_t k = 0; k < sizeof(rs) / sizeof(rs[0]); k++) {
        static struct sg_night_value values[SERIES][NIGHTS];
        struct sg_history_series series[SERIES];
        double r[NIGHTS];
        for (uint64_t seed = 0; seed < SERIES; seed++) {
            struct sg_night_value *nights = values[seed];
            make_correlated((seed + 1) * 104729, rs[k], slows[k], nights);
            for (size_t i = 0; i < NIGHTS; i++)
                nights[i].value +=
                    (seed % with_step[k] == 0 && i >= 40 ? 0.01 : 0) + (i % 50 == 7 ? 0.008 : 0);
            series[seed].values = nights;
        }
        double slow[NIGHTS];
        sg_nights_memory(series, SERIES, NIGHTS, r, slow);
        if (fabs(r[NIGHTS - 1] - rs[k]) > 0.08)
            fail_msg("%g reads %g", rs[k], r[NIGHTS - 1]);
        if (slow[NIGHTS - 1] < slows[k] - 0.3 || slow[NIGHTS - 1] > slows[k] + 0.05)
            fail_msg("%g that wanders reads %g", slows[k], slow[NIGHTS - 1]);
        for (size_t i = 0; i < NIGHTS && slows[k] == 0; i++)
            if (slow[i] > 0.1)
                fail_msg("nothing wanders, but night %zu reads %g", i, slow[i]);
        assert_true(slow[20] == 0);
        assert_true(r[1] == 0); /* nothing is known yet */
    }
}

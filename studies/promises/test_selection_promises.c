/* stats/selection.h: how often the interval of what was listed because it read high covers the
 * truth, and where there is no selection to speak of. */
#include <math.h>

#include "check.h"
#include "stats/selection.h"
#include "util/random.h"

#define LISTED 1500

struct counts {
    int covered, plain;
};

/* Of readings that are listed: the deciding part reads over the limit, and as much came later as is
 * left to an error of 1. */
static struct counts count_covered(double truth, double limit, double deciding_se, uint64_t seed)
{
    const double later_se = 1 / sqrt(1 - 1 / (deciding_se * deciding_se)),
                 weight = 1 / (deciding_se * deciding_se);
    struct counts counts = {0};
    for (int listed = 0; listed < LISTED;) {
        const double first = truth + deciding_se * sg_random_normal(&seed),
                     later = truth + later_se * sg_random_normal(&seed);
        double low = 0, high = 0;
        if (first <= limit)
            continue;
        const double read = weight * first + (1 - weight) * later;
        sg_selected_interval(
            &(struct sg_selected){
                .read = read, .se = 1, .limit = limit, .deciding_se = deciding_se},
            &low, &high);
        counts.covered += low <= truth && truth <= high;
        counts.plain += fabs(read - truth) <= 1.96;
        listed++;
    }
    return counts;
}

TEST(selected_intervals_cover)
{
    static const struct {
        const char *sentence;
        double truth, limit, deciding_se;
        double plain_at_most; /* share that an interval around the reading covers */
    } rows[] = {
        {"half of the data decided, one in five is listed", 5, 6.2, 1.414, 0.93},
        {"half of the data decided, one in fifty is listed", 4, 7, 1.414, 0.75},
        {"nine tenths decided, one in ten is listed", 4, 5.4, 1.054, 0.85},
        {"a tenth decided, next to all are listed", 20, 10, 3.16, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct counts counts =
            count_covered(rows[i].truth, rows[i].limit, rows[i].deciding_se, i + 1);
        const double covered = (double)counts.covered / LISTED,
                     plain = (double)counts.plain / LISTED;
        if (fabs(covered - 0.95) > 0.017 || plain > rows[i].plain_at_most)
            fail_msg("%s: %.3f, without selection %.3f", rows[i].sentence, covered, plain);
    }
}

TEST(what_is_far_over_the_limit_has_the_usual_interval)
{
    double low = 0, high = 0;
    sg_selected_interval(&(struct sg_selected){.read = 20, .se = 1, .limit = 8, .deciding_se = 2},
                         &low, &high);
    assert_true(fabs(low - 18.04) < 0.05 && fabs(high - 21.96) < 0.05);
}

/* What only just read over the limit may be next to nothing, and is no more than it reads. */
TEST(what_just_passes_may_be_little)
{
    double low = 0, high = 0;
    sg_selected_interval(
        &(struct sg_selected){.read = 4.5, .se = 1, .limit = 4.4, .deciding_se = 1}, &low, &high);
    assert_true(low < 1 && low >= 0 && high > 4.5 && high < 6.5);
}

/* metrics/diagnose/extra_time_fit.h: whether the extra time of a series goes with its dimension,
 * and how often that is said wrongly. */
#include "check.h"
#include "diagnose/extra_time_fit.h"
#include "near.h"
#include "stats/abba.h"
#include "util/random.h"

#define POINTS_MAX 4
#define DF         4 /* of five processes */

struct point {
    double x, us, se;
};

static size_t extras_of(const struct point points[POINTS_MAX], struct sg_extra extras[POINTS_MAX])
{
    size_t count = 0;
    for (; count < POINTS_MAX && points[count].se > 0; count++)
        extras[count] = (struct sg_extra){points[count].x, 1000 * points[count].us, 1000 * points[count].se, DF};
    return count;
}

static const struct {
    const char *sentence;
    struct point points[POINTS_MAX];
    enum sg_extra_time_fit_word word;
} rows[] = {
    {"the same cost at every k does not scale", {{512, 4.3, .1}, {1024, 4.4, .1}, {2048, 4.2, .1}}, SG_SCALING_NONE},
    {"nor does one that changes by a tenth of itself", {{512, 4.3, .05}, {1024, 4.4, .05}, {2048, 4.7, .05}}, SG_SCALING_NONE},
    {"a cost for each step grows", {{512, 1.0, .1}, {1024, 2.0, .1}, {2048, 4.0, .1}}, SG_SCALING_GROWS},
    {"and so does one that has a constant part too", {{512, 3.0, .1}, {1024, 4.0, .1}, {2048, 6.0, .1}}, SG_SCALING_GROWS},
    {"a cost that long loops hide shrinks", {{512, 4.0, .1}, {1024, 3.0, .1}, {2048, 1.0, .1}}, SG_SCALING_SHRINKS},
    {"from faster to slower is growing, too", {{512, -2.0, .1}, {1024, -1.0, .1}, {2048, 1.5, .1}}, SG_SCALING_GROWS},
    {"what may be the same or shrink does not grow", {{512, 4.4, .06}, {1024, 4.1, .06}, {2048, 3.5, .06}}, SG_SCALING_NOT_GROWING},
    {"errors as large as the cost tell nothing", {{512, 4.3, 3}, {1024, 4.4, 3}, {2048, 4.2, 3}}, SG_SCALING_UNKNOWN},
    {"about a quarter is neither the same nor more", {{512, 4.0, .1}, {1024, 4.4, .1}, {2048, 5.1, .1}}, SG_SCALING_UNKNOWN},
    {"nothing, surely, is not the same share of nothing", {{512, 0, .1}, {1024, 0, .1}, {2048, 0, .1}}, SG_SCALING_UNKNOWN},
    {"two values are too few", {{512, 4.3, .1}, {1024, 4.4, .1}}, SG_SCALING_UNKNOWN},
    {"three cases of one value are one value", {{512, 4.3, .1}, {512, 4.4, .1}, {512, 4.2, .1}}, SG_SCALING_UNKNOWN},
    {"three points far from a line, by their errors, tell nothing", {{512, 4, .01}, {1024, 5, .01}, {2048, 4, .01}}, SG_SCALING_UNKNOWN},
    {"four that scatter little beside the cost do",
     {{512, 4.30, .001}, {1024, 4.34, .001}, {1536, 4.28, .001}, {2048, 4.31, .001}},
     SG_SCALING_NONE},
    {"a far point that nobody knows well decides nothing", {{512, 4.3, .1}, {1024, 4.4, .1}, {2048, 9, 5}}, SG_SCALING_UNKNOWN},
    {"the order of the points does not matter", {{2048, 4.0, .1}, {512, 1.0, .1}, {1024, 2.0, .1}}, SG_SCALING_GROWS},
};

TEST(test_what_is_said_of_a_series)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_extra extras[POINTS_MAX];
        const size_t count = extras_of(rows[i].points, extras);
        const struct sg_extra_time_fit scaling = sg_extra_time_fit_of(extras, count);
        if (scaling.word != rows[i].word)
            fail_msg("%s: %d, should be %d; %g +- %g of %g", rows[i].sentence, scaling.word, rows[i].word, scaling.part, scaling.half,
                     scaling.middle);
    }
}

/* Three points of one error: slope and error by the textbook, df of
 * three times four, its quantile. */
TEST(test_the_line_is_that_of_least_squares)
{
    const struct sg_extra extras[] = {{0, 10, 1, DF}, {1, 12, 1, DF}, {2, 14.3, 1, DF}};
    const struct sg_extra_time_fit scaling = sg_extra_time_fit_of(extras, COUNT(extras));
    assert_near("part", scaling.part, 4.3, 1e-12);
    assert_near("middle", scaling.middle, 36.3 / 3, 1e-12);
    assert_near("span", scaling.span, 2, 0);
    /* shares -1, 0, 1 of three errors of 1: sqrt(2), with (1 + 1)^2 / (1/4 + 1/4)
     * = 8 degrees of freedom: 2.306004 */
    assert_near("half", scaling.half, 2.306004 * sqrt(2), 1e-6);
}

/* An error of five processes that came out small is no better known than the others. */
TEST(test_a_point_counts_whatever_its_error)
{
    const struct sg_extra extras[] = {{0, 10, 0.001, DF}, {1, 13, 2, DF}, {2, 14, 1, DF}};
    const struct sg_extra_time_fit scaling = sg_extra_time_fit_of(extras, COUNT(extras));
    assert_near("part", scaling.part, 4, 1e-12);
    assert_near("middle", scaling.middle, 37.0 / 3, 1e-12);
}

/* The textbook's residual variance of (1/9 + 4/9 + 1/9) / 1 at shares -1, 0, 1, of which
 * the errors explain 2 of 100 each. */
TEST(test_scatter_beyond_the_errors_has_its_own_quantile)
{
    const struct sg_extra extras[] = {{0, 10, 0.1, DF}, {1, 13, 0.1, DF}, {2, 14, 0.1, DF}};
    const double of_errors = 2.306004 * sqrt(2 * 0.01), beyond = 12.706205 * sqrt(2 * 2.0 / 3 - 2 * 0.01);
    assert_near("half", sg_extra_time_fit_of(extras, COUNT(extras)).half, hypot(of_errors, beyond), 1e-5);
}

#define REPLICATIONS 4000
#define VALUES_MAX   9

/* Series of `values` values: a constant of 1 and a true part, with normal errors that
 * are estimated from five processes. */
struct simulated {
    size_t values;
    double part, se;
    double scatter; /* of the values around the line, that no process tells of; in se */
    double last;    /* error of the last value, in se; 0: as the others */
};

static void simulate(const struct simulated *of, uint64_t *state, struct sg_extra extras[VALUES_MAX])
{
    for (size_t v = 0; v < of->values; v++) {
        const double u = (double)v / (double)(of->values - 1) - 0.5;
        const double se = of->last > 0 && v + 1 == of->values ? of->last * of->se : of->se;
        const double middle = 1 + of->part * u + of->scatter * of->se * sg_random_normal(state);
        double processes[DF + 1];
        for (size_t k = 0; k <= DF; k++)
            processes[k] = middle + se * sqrt(DF + 1) * sg_random_normal(state);
        const struct sg_estimate estimate = sg_abba_estimate(processes, DF + 1);
        extras[v] = (struct sg_extra){u, estimate.mean, estimate.se, DF};
    }
}

/* What is counted in so many series: one word, or an interval that does not hold the true part. */
enum event { IS_SAME = SG_SCALING_NONE, IS_GROWING = SG_SCALING_GROWS, MISSES };

static bool happens(enum event event, const struct sg_extra_time_fit *scaling, double part)
{
    if (event == MISSES)
        return fabs(scaling->part - part) > scaling->half;
    return (int)scaling->word == (int)event;
}

static double share_of(enum event event, const struct simulated *of)
{
    uint64_t state = 20261122;
    size_t found = 0;
    for (size_t i = 0; i < REPLICATIONS; i++) {
        struct sg_extra extras[VALUES_MAX];
        simulate(of, &state, extras);
        const struct sg_extra_time_fit scaling = sg_extra_time_fit_of(extras, of->values);
        found += happens(event, &scaling, of->part);
    }
    return (double)found / REPLICATIONS;
}

/* The shares of docs/metrics.md; without `last` and `scatter`
 * errors are equal and all there is. */
TEST(test_how_often_it_is_said_wrongly)
{
    static const struct {
        const char *sentence;
        enum event event;
        struct simulated of;
        double least, most;
    } promises[] = {
        {"the interval of three values misses less than 1 of 20", MISSES, {3, 0, 0.03, 0, 0}, 0, 0.05},
        {"of seven", MISSES, {7, 0, 0.03, 0, 0}, 0, 0.05},
        {"of three, one known three times worse", MISSES, {3, 0, 0.03, 0, 3}, 0, 0.05},
        {"of seven, one known ten times worse", MISSES, {7, 0, 0.03, 0, 10}, 0, 0.05},
        {"of three that scatter by their errors less than 1 of 15", MISSES, {3, 0, 0.03, 1, 0}, 0, 0.0667},
        {"of five", MISSES, {5, 0, 0.03, 1, 0}, 0, 0.0667},
        {"of five that scatter by thrice their errors less than 1 of 12", MISSES, {5, 0, 0.03, 3, 0}, 0, 0.0833},
        {"but of three that scatter by thrice their errors up to 1 of 8", MISSES, {3, 0, 0.03, 3, 0}, 0, 0.125},
        {"a constant is called growing in less than 1 of 100", IS_GROWING, {4, 0, 0.10, 0, 0}, 0, 0.01},
        {"what grows by a quarter is called constant in less than 1 of 50", IS_SAME, {4, 0.25, 0.03, 0, 0}, 0, 0.02},
        {"and growing in less than 1 of 50", IS_GROWING, {4, 0.25, 0.03, 0, 0}, 0, 0.02},
        {"three that scatter by thrice their errors are taken for constant in less than 1 of 15",
         IS_SAME,
         {3, 0.25, 0.01, 3, 0},
         0,
         0.0667},
        {"a constant known to 2 % is called constant nearly always", IS_SAME, {4, 0, 0.02, 0, 0}, 0.95, 1},
        {"what doubles is called growing nearly always", IS_GROWING, {4, 2.0 / 3, 0.04, 0, 0}, 0.95, 1},
    };
    for (size_t i = 0; i < COUNT(promises); i++) {
        const double share = share_of(promises[i].event, &promises[i].of);
        print_message("%s: %.4f\n", promises[i].sentence, share);
        assert_true(share >= promises[i].least && share <= promises[i].most);
    }
}

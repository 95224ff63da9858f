/* metrics/scaling.h: whether the extra time of a series goes with its dimension, and how often that is said wrongly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "duet.h"
#include "near.h"
#include "scaling.h"

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
    enum sg_scaling_word word;
} rows[] = {
    {"the same cost at every k does not scale", {{512, 4.3, .1}, {1024, 4.4, .1}, {2048, 4.2, .1}}, SG_SCALING_NONE},
    {"nor does one that changes by a tenth of itself", {{512, 4.3, .05}, {1024, 4.4, .05}, {2048, 4.7, .05}}, SG_SCALING_NONE},
    {"a cost for each step grows", {{512, 1.0, .1}, {1024, 2.0, .1}, {2048, 4.0, .1}}, SG_SCALING_GROWS},
    {"and so does one that has a constant part too", {{512, 3.0, .1}, {1024, 4.0, .1}, {2048, 6.0, .1}}, SG_SCALING_GROWS},
    {"a cost that long loops hide shrinks", {{512, 4.0, .1}, {1024, 3.0, .1}, {2048, 1.0, .1}}, SG_SCALING_SHRINKS},
    {"from faster to slower is growing, too", {{512, -2.0, .1}, {1024, -1.0, .1}, {2048, 1.5, .1}}, SG_SCALING_GROWS},
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

static void test_what_is_said_of_a_series(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_extra extras[POINTS_MAX];
        const size_t count = extras_of(rows[i].points, extras);
        const struct sg_scaling scaling = sg_scaling_of(extras, count);
        if (scaling.word != rows[i].word)
            fail_msg("%s: %d, should be %d; %g +- %g of %g", rows[i].sentence, scaling.word, rows[i].word, scaling.part, scaling.half,
                     scaling.middle);
    }
}

/* Three points of one error: slope and error by the textbook, df of three times four, its quantile. */
static void test_the_line_is_that_of_least_squares(void **state)
{
    (void)state;
    const struct sg_extra extras[] = {{0, 10, 1, DF}, {1, 12, 1, DF}, {2, 14.3, 1, DF}};
    const struct sg_scaling scaling = sg_scaling_of(extras, COUNT(extras));
    assert_near("part", scaling.part, 4.3, 1e-12);
    assert_near("middle", scaling.middle, 36.3 / 3, 1e-12);
    assert_near("span", scaling.span, 2, 0);
    /* shares -1, 0, 1 of three errors of 1: sqrt(2), with (1 + 1)^2 / (1/4 + 1/4) = 8 degrees of freedom: 2.306004 */
    assert_near("half", scaling.half, 2.306004 * sqrt(2), 1e-6);
}

static void test_a_point_counts_by_its_error(void **state)
{
    (void)state;
    const struct sg_extra extras[] = {{0, 10, 0.001, DF}, {1, 12, 0.001, DF}, {2, 100, 1000, DF}};
    assert_near("part", sg_scaling_of(extras, COUNT(extras)).part, 4, 1e-3);
}

#define REPLICATIONS 4000
#define VALUES_MAX   7

/* Series of `values` values: a constant of 1 and a true part, with normal errors that are estimated from five processes. */
struct simulated {
    size_t values;
    double part, se;
    double scatter; /* of the values around the line, that no process tells of; in se */
};

static void simulate(const struct simulated *of, uint64_t *state, struct sg_extra extras[VALUES_MAX])
{
    for (size_t v = 0; v < of->values; v++) {
        const double u = (double)v / (double)(of->values - 1) - 0.5;
        const double middle = 1 + of->part * u + of->scatter * of->se * sg_random_normal(state);
        double processes[DF + 1];
        for (size_t k = 0; k <= DF; k++)
            processes[k] = middle + of->se * sqrt(DF + 1) * sg_random_normal(state);
        const struct sg_estimate estimate = sg_duet_estimate(processes, DF + 1);
        extras[v] = (struct sg_extra){u, estimate.mean, estimate.se, DF};
    }
}

/* How many of so many series get `word`? */
static double share_of(enum sg_scaling_word word, const struct simulated *of)
{
    uint64_t state = 20261122;
    size_t found = 0;
    for (size_t i = 0; i < REPLICATIONS; i++) {
        struct sg_extra extras[VALUES_MAX];
        simulate(of, &state, extras);
        found += sg_scaling_of(extras, of->values).word == word;
    }
    return (double)found / REPLICATIONS;
}

/* The shares of docs/method.md 5. */
static void test_how_often_it_is_said_wrongly(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        enum sg_scaling_word word;
        struct simulated of;
        double least, most;
    } promises[] = {
        {"a constant is called growing in less than 1 of 100", SG_SCALING_GROWS, {4, 0, 0.10, 0}, 0, 0.01},
        {"what grows by a quarter is called constant in less than 1 of 25", SG_SCALING_NONE, {4, 0.25, 0.03, 0}, 0, 0.04},
        {"what grows by a quarter is called growing in less than 1 of 25", SG_SCALING_GROWS, {4, 0.25, 0.03, 0}, 0, 0.04},
        {"with seven values in less than 1 of 20", SG_SCALING_NONE, {7, 0.25, 0.03, 0}, 0, 0.05},
        {"and called growing in less than 1 of 20", SG_SCALING_GROWS, {7, 0.25, 0.03, 0}, 0, 0.05},
        {"three values that scatter by thrice their errors are taken for constant in less than 1 of 10",
         SG_SCALING_NONE,
         {3, 0.25, 0.01, 3},
         0,
         0.10},
        {"seven of them in less than 1 of 16", SG_SCALING_NONE, {7, 0.25, 0.01, 3}, 0, 0.0625},
        {"a constant known to 2 % is called constant nearly always", SG_SCALING_NONE, {4, 0, 0.02, 0}, 0.95, 1},
        {"what doubles is called growing nearly always", SG_SCALING_GROWS, {4, 2.0 / 3, 0.04, 0}, 0.95, 1},
    };
    for (size_t i = 0; i < COUNT(promises); i++) {
        const double share = share_of(promises[i].word, &promises[i].of);
        print_message("%s: %.4f\n", promises[i].sentence, share);
        assert_true(share >= promises[i].least && share <= promises[i].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_said_of_a_series),
        cmocka_unit_test(test_the_line_is_that_of_least_squares),
        cmocka_unit_test(test_a_point_counts_by_its_error),
        cmocka_unit_test(test_how_often_it_is_said_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

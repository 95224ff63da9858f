/* stats/statistics.h against values computed with 40 digits, and the corrections against hand
 * cases. studies/promises/test_look_promises.c regenerates the table of looks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stats/moving_median.h"
#include "stats/statistics.h"
#include "stats/tails.h"
#include "util/random.h"

/* To 1e-10 of the value, tails included. */
static void assert_close(const char *what, double a, double b, double is, double should)
{
    if (!(fabs(is - should) <= 1e-10 * fabs(should)))
        fail_msg("%s(%.6g, %.6g) is %.17g, should be %.17g", what, a, b, is, should);
}

struct one {
    double x, y;
};
struct two {
    double a, b, y;
};

TEST(normal_quantile)
{
    static const struct one rows[] = {
        {1e-10, -6.3613409024040562},
        {0.001, -3.0902323061678135},
        {0.025, -1.9599639845400542},
        {0.3, -0.52440051270804078},
        {0.5, 0.0},
        {0.9, 1.2815515655446005},
        {0.975, 1.9599639845400542},
        {0.999999, 4.7534243088228989},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_close("normal quantile", rows[i].x, 0, sg_t_quantile(rows[i].x, INFINITY),
                     rows[i].y);
}

TEST(incomplete_beta)
{
    static const struct {
        double a, b, x, y;
    } rows[] = {
        {0.5, 0.5, 0.3, 0.36901011956554538},
        {2, 3, 0.4, 0.5248},
        {10, 0.5, 0.9, 0.15164090963470992},
        {0.5, 60, 0.001, 0.27048875855232641},
        {100, 100, 0.5, 0.5},
        {7.5, 2.25, 0.999, 0.99999230478050391},
        {2000, 1500, 0.57, 0.4315813015153207},
        {1, 1, 0.25, 0.25},
        {5, 0.1, 0.00001, 2.4466933502119232e-27},
        {3, 4, 0, 0},
        {3, 4, 1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_close("incomplete beta", rows[i].a, rows[i].b,
                     sg_incomplete_beta(rows[i].a, rows[i].b, rows[i].x), rows[i].y);
}

TEST(t_cdf)
{
    static const struct two rows[] = {
        {0, 3, 0.5},
        {1, 1, 0.75},
        {-2.5, 4, 0.033383272405994073},
        {6.48, 4, 0.99853838184210443},
        {3.41, 19, 0.99853136949723815},
        {1e-6, 7, 0.50000038499145083},
        {-30, 2, 0.00055463134097982946},
        {1.5, 0.5, 0.74604910467594578},
        {2, 100000, 0.97724851827124677},
        {-12, 30, 2.790092707599628e-13},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_close("t cdf", rows[i].a, rows[i].b, sg_t_cdf(rows[i].a, rows[i].b), rows[i].y);
}

TEST(t_quantile)
{
    static const struct two rows[] = {
        {0.975, 1, 12.706204736174705},
        {0.975, 4, 2.7764451051977944},
        {0.995, 7, 3.4994832973504939},
        {0.9, 2, 1.8856180831641267},
        {0.99853, 19, 3.4095880654422968},
        {1e-6, 3, -103.29946778041934},
        {0.6, 11, 0.25955586047627055},
        {0.501, 5, 0.0026343091803366026},
        {0.95, 0.7, 13.587121347511173},
        {0.999, 1000, 3.0984021639129229},
        {0.05, 1e5, -1.6448688647849697},
        {1e-12, 4, -1316.0727465592565},
        {0.5, 9, 0.0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_close("t quantile", rows[i].a, rows[i].b, sg_t_quantile(rows[i].a, rows[i].b),
                     rows[i].y);
}

TEST(what_is_outside_is_not_a_number)
{
    const double outside[] = {sg_t_quantile(0.0, INFINITY), sg_t_quantile(0.5, 0.0),
                              sg_t_cdf(1.0, -1.0), sg_incomplete_beta(1.0, 1.0, 1.5),
                              sg_look_constant(SG_ALPHA_05, 4)};
    for (size_t i = 0; i < COUNT(outside); i++)
        if (!isnan(outside[i]))
            fail_msg("case %zu is %g, should not be a number", i, outside[i]);
}

TEST(means_and_spreads)
{
    double odd[] = {3, 1, 2};
    double even[] = {4, 1, 3, 2};
    double one[] = {7};
    double spiked[] = {5, 1, 2, 3, 4, 6, 7, 8, 9, 1000};
    assert_close("mean", 3, 0, sg_mean(odd, 3), 2);
    assert_close("sd", 3, 0, sg_sd(odd, 3), 1);
    assert_close("sd of one", 1, 0, sg_sd(one, 1), 0);
    assert_close("median", 3, 0, sg_median(odd, 3), 2);
    assert_close("median", 4, 0, sg_median(even, 4), 2.5);
    assert_close("median", 1, 0, sg_median(one, 1), 7);
    assert_close("trimmed mean: one of ten off each end", 10, 0.1, sg_trimmed_mean(spiked, 10, 0.1),
                 5.5);
    assert_close("trimmed mean: nothing to trim", 3, 0.1, sg_trimmed_mean(odd, 3, 0.1), 2);
}

TEST(corrections)
{
    static const struct {
        const char *sentence;
        size_t n;
        double p[5], holm[5], bh[5];
    } rows[] = {
        ROW("one test is left alone", 1, LIST(0.03), LIST(0.03), LIST(0.03)),
        ROW("holm multiplies the smallest by n, BH the largest by 1", 4,
            LIST(0.01, 0.02, 0.03, 0.04), LIST(0.04, 0.06, 0.06, 0.06),
            LIST(0.04, 0.04, 0.04, 0.04)),
        ROW("the order given is the order returned", 5, LIST(0.5, 0.001, 0.04, 0.012, 0.9),
            LIST(1.0, 0.005, 0.12, 0.048, 1.0), LIST(0.625, 0.005, 0.04 * 5 / 3, 0.03, 0.9)),
        ROW("nothing exceeds 1", 3, LIST(0.9, 0.8, 0.7), LIST(1, 1, 1), LIST(0.9, 0.9, 0.9)),
        ROW("ties share their value", 3, LIST(0.02, 0.02, 0.5), LIST(0.06, 0.06, 0.5),
            LIST(0.03, 0.03, 0.5)),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double holm[5];
        double bh[5];
        sg_holm(rows[i].p, NULL, rows[i].n, holm);
        sg_benjamini_hochberg(rows[i].p, rows[i].n, bh);
        for (size_t k = 0; k < rows[i].n; k++) {
            assert_close(rows[i].sentence, (double)k, 0, holm[k], rows[i].holm[k]);
            assert_close(rows[i].sentence, (double)k, 1, bh[k], rows[i].bh[k]);
        }
    }
}

/* By p over share: the second, of 4 shares, then the third, 2 of 3, then the first, alone. */
TEST(holm_by_shares_of_the_error)
{
    const double p[] = {0.05, 0.009, 0.026}, share[] = {1, 1, 2}, expected[] = {0.05, 0.036, 0.039},
                 same[] = {3, 3, 3};
    double holm[3], equal[3];
    sg_holm(p, share, 3, holm);
    for (size_t i = 0; i < 3; i++)
        assert_close("by shares", (double)i, 0, holm[i], expected[i]);
    sg_holm(p, same, 3, holm);
    sg_holm(p, NULL, 3, equal);
    for (size_t i = 0; i < 3; i++)
        assert_close("equal shares are none", (double)i, 0, holm[i], equal[i]);
}

TEST(a_number_of_processes_is_rounded_down_to_a_row)
{
    static const struct {
        size_t processes;
        double c;
    } rows[] = {{5, 6.48},  {7, 6.48},  {8, 4.46},  {9, 4.46},  {10, 4.04},
                {11, 4.04}, {12, 3.80}, {19, 3.80}, {20, 3.41}, {64, 3.41}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_close("c(.01)", (double)rows[i].processes, 0,
                     sg_look_constant(SG_ALPHA_01, rows[i].processes), rows[i].c);
}

TEST(two_digits_are_rounded_up)
{
    static const double rows[][2] = {
        {0.0123, 0.013}, {0.012, 0.012}, {9.91, 10.0}, {260.0, 260.0}, {0.0000991, 0.0001}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (fabs(sg_two_digits_up(rows[i][0]) / rows[i][1] - 1.0) > 1e-9)
            fail_msg("%.9g became %.9g, expected %.9g", rows[i][0], sg_two_digits_up(rows[i][0]),
                     rows[i][1]);
}

/* The values 1 to n; the last `slow` values are ten times larger. */
static void check_tail(size_t n, size_t slow, unsigned percent, double value, double low,
                       double high)
{
    double sorted[400];
    struct sg_tail tail = {.value = NAN, .low = NAN, .high = NAN};
    for (size_t i = 0; i < n; i++)
        sorted[i] = (double)(i + 1) * (i < n - slow ? 1 : 10);
    const bool has =
        percent ? sg_percentile(sorted, n, percent, &tail) : sg_spikes(sorted, n, &tail);
    const double is[] = {tail.value, tail.low, tail.high}, should[] = {value, low, high};
    assert_int_equal(has, !isnan(value));
    for (size_t i = 0; i < 3; i++)
        assert_true((isnan(is[i]) && isnan(should[i])) || fabs(is[i] - should[i]) < 1e-4);
}

/* Ranks by hand: 0.99 * 400 -+ 1.96 * sqrt(400 * 0.99 * 0.01) is 392.1 to 399.9. Wilson's interval
 * of 2 in 100 is 0.5502 to 7.0012 %. */
TEST(percentiles_need_values_above_them)
{
    check_tail(99, 0, 99, NAN, NAN, NAN);
    check_tail(100, 0, 99, 99, NAN, NAN);
    check_tail(101, 0, 99, 100, NAN, NAN);
    check_tail(400, 0, 99, 396, 392, 400);
    check_tail(400, 8, 99, 3960, 392, 4000);
    check_tail(9, 0, 90, NAN, NAN, NAN);
    check_tail(10, 0, 90, 9, NAN, NAN);
    check_tail(9, 0, 0, NAN, NAN, NAN);
    check_tail(100, 0, 0, 0, 0, 3.69935);
    check_tail(100, 2, 0, 2, 0.5502, 7.0012);
    assert_int_equal(sg_percentile_least(50), 2);
}

TEST(moving_window_is_sorted_by_group)
{
    enum { COUNT = 60, GROUPS = 2 };
    uint64_t random = 1;
    struct sg_moving moving = sg_moving_make(COUNT, GROUPS);
    for (size_t i = 0; i < COUNT; i++) {
        moving.number[i] = i % 7 == 0 ? NAN : floor(8 * sg_random_unit(&random));
        moving.group[i] = i % 3 == 0;
    }
    sg_moving_begin(&moving);
    for (size_t try = 0; try < 200; try++) {
        const size_t a = sg_random_next(&random) % (COUNT + 1),
                     b = sg_random_next(&random) % (COUNT + 1);
        double sorted[GROUPS][COUNT];
        size_t n[GROUPS] = {0};
        sg_moving_to(&moving, a < b ? a : b, a < b ? b : a);
        for (size_t i = moving.from; i < moving.to; i++)
            if (!isnan(moving.number[i]))
                sorted[moving.group[i]][n[moving.group[i]]++] = moving.number[i];
        for (size_t g = 0; g < GROUPS; g++) {
            assert_int_equal(moving.size[g], n[g]);
            if (n[g] > 0)
                sg_median(sorted[g], n[g]); /* sorts */
            for (size_t k = 0; k < n[g]; k++)
                assert_true(sg_moving_at(&moving, g, k) == sorted[g][k]);
        }
    }
    sg_moving_release(&moving);
}

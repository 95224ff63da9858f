/* stats/replicates.h: range, correlation and trend of processes in their order, and how
 * often chance is taken for either. */
#include "check.h"
#include "near.h"
#include "stats/replicates.h"
#include "util/random.h"

#define PROCESSES 10
#define ROUNDS    20000

TEST(by_hand)
{
    static const struct {
        const char *sentence;
        double y[6];
        size_t n;
        double low, high, correlation, trend;
    } rows[] = {
        {"one value has a range and nothing else", {0.01}, 1, 0.01, 0.01, NAN, NAN},
        {"so have four", {0.01, -0.02, 0.03, 0}, 4, -0.02, 0.03, NAN, NAN},
        {"a straight line is all trend", {0, 1, 2, 3, 4}, 5, 0, 4, 0, 4},
        {"values that agree have none", {1, 1, 1, 1, 1}, 5, 1, 1, 0, 0},
        /* Off the line of slope -0.0857 x: products / squares of -1.2143, 0.8714,
         * -1.0429, 1.0429, -0.8714, 1.2143 */
        {"turns from side to side correlate below 0", {-1, 1, -1, 1, -1, 1}, 6, -1, 1, NAN, NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_replicates r = sg_replicates_of(rows[i].y, rows[i].n);
        assert_near(rows[i].sentence, r.low, rows[i].low, 1e-12);
        assert_near(rows[i].sentence, r.high, rows[i].high, 1e-12);
        if (i + 1 == COUNT(rows)) {
            assert_true(r.correlation < -0.7);
            continue;
        }
        assert_int_equal(isnan(r.trend), isnan(rows[i].trend));
        if (!isnan(rows[i].trend)) {
            assert_near(rows[i].sentence, r.correlation, rows[i].correlation, 1e-9);
            assert_near(rows[i].sentence, r.trend, rows[i].trend, 1e-9);
        }
    }
}

/* How many of 1,000 gates of so many processes are told to depend on one another. */
static double told(size_t n, double correlation, double trend)
{
    size_t count = 0;
    uint64_t random = 3;
    for (size_t round = 0; round < ROUNDS; round++) {
        double y[20], off = sg_random_normal(&random);
        for (size_t i = 0; i < n; i++) {
            off = correlation * off + sqrt(1 - correlation * correlation) * sg_random_normal(&random);
            y[i] = 0.001 * (off + trend * (double)i / (double)(n - 1));
        }
        const struct sg_replicates r = sg_replicates_of(y, n);
        count += sg_replicates_are_dependent(&r);
    }
    return 1000.0 * (double)count / ROUNDS;
}

/* ---- the spread against nights before ---- */

/* Slow nights among those before change their median by little. */
TEST(a_spread_is_held_against_the_median_of_nights)
{
    enum { PAST = 12 };
    struct sg_spread_night past[PAST];
    for (size_t i = 0; i < PAST; i++)
        past[i] = (struct sg_spread_night){.sd = i < 5 ? 0.009 : 0.001, .processes = 10};
    const struct sg_spread_night tonight = {.sd = 0.009, .processes = 20};
    struct sg_spread_check check = sg_spread_check_of(tonight, past, PAST);
    assert_true(check.times > 8 && check.p < 1e-6);
    check = sg_spread_check_of((struct sg_spread_night){.sd = 0.001, .processes = 20}, past, PAST);
    assert_true(check.times < 1 && check.p > 0.1);
    assert_true(isnan(sg_spread_check_of(tonight, past, SG_SPREAD_NIGHTS - 1).p));
}

TEST(chance_is_seldom_told)
{
    static const struct {
        const char *sentence;
        size_t n;
        double correlation, trend; /* in sd of a process */
        double least, most;
    } rows[] = {
        {"five independent processes", 5, 0, 0, 0, 5},
        {"ten", PROCESSES, 0, 0, 0, 5},
        {"twenty", 20, 0, 0, 0, 5},
        {"a trend of four sd over ten", PROCESSES, 0, 4, 400, 1000},
        {"one of eight", PROCESSES, 0, 8, 900, 1000},
        {"twenty that correlate by 0.9", 20, 0.9, 0, 300, 1000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const double found = told(rows[i].n, rows[i].correlation, rows[i].trend);
        print_message("%s: told of %.1f in 1000\n", rows[i].sentence, found);
        if (found < rows[i].least || found > rows[i].most)
            fail_msg("%s: told of %.1f in 1000", rows[i].sentence, found);
    }
}

TEST(words)
{
    static const double y[] = {-0.001, 0.0005, 0.002, 0, 0.001};
    const struct sg_replicates five = sg_replicates_of(y, COUNT(y)), one = sg_replicates_of(y, 1);
    struct sg_text text = {0};
    sg_replicates_describe(&five, &text);
    assert_string_equal(text.data, "processes -0.1 % to +0.2 %, correlation of neighbours -0.2 +- 0.4, trend +0.14 % +- 0.1 %");
    sg_text_release(&text);
    sg_replicates_describe(&one, &text);
    assert_string_equal(text.data, "processes -0.1 % to -0.1 %");
    sg_text_release(&text);
}

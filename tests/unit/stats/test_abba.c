/* stats/abba.h: the order of batches, what a block and a process are worth, intervals there and
 * back, spikes, and the generator. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stats/abba.h"
#include "stats/statistics.h"
#include "util/random.h"

static void assert_close(const char *what, double is, double should)
{
    if (!(fabs(is - should) <= 1e-12 + 1e-12 * fabs(should)))
        fail_msg("%s: %.17g, should be %.17g", what, is, should);
}

TEST(orders)
{
    static const struct {
        const char *sentence;
        bool baab;
        bool candidate[SG_BLOCK_BATCHES];
    } rows[] = {
        {"ABBA begins and ends with the baseline", false, {false, true, true, false}},
        {"BAAB begins and ends with the candidate", true, {true, false, false, true}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned position = 0; position < SG_BLOCK_BATCHES; position++)
            if (sg_abba_is_candidate(rows[i].baab, position) != rows[i].candidate[position])
                fail_msg("%s: position %u", rows[i].sentence, position);
}

TEST(blocks)
{
    static const struct {
        const char *sentence;
        bool baab;
        double ns[SG_BLOCK_BATCHES];
        double ratio; /* candidate / baseline */
    } rows[] = {
        {"equal batches are ratio 1", false, {100, 100, 100, 100}, 1.0},
        {"the candidate in the middle is twice as slow", false, {100, 200, 200, 100}, 2.0},
        {"the candidate outside is twice as slow", true, {200, 100, 100, 200}, 2.0},
        {"a geometric drift cancels, ABBA", false, {100, 101, 102.01, 103.0301}, 1.0},
        {"a geometric drift cancels, BAAB", true, {100, 101, 102.01, 103.0301}, 1.0},
        {"the ratio is of geometric means", false, {100, 400, 100, 100}, 2.0},
        {"a faster candidate is below 1", true, {50, 100, 100, 50}, 0.5},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_close(rows[i].sentence, sg_abba_block(rows[i].ns, rows[i].baab), log(rows[i].ratio));
}

TEST(noisy_pairs_get_more_blocks)
{
    enum { US = 1000, MS = 1000 * US };
    static const struct {
        const char *sentence;
        struct sg_pilot pilot;
        double sd, launch_ns;
        unsigned count;
    } rows[] = {
        {"a quiet pair gets what the suite says", {24, 4, 0.0017, 700}, 0.0081, 15 * US, 24},
        {"0.17 % of blocks of 1.67 %", {24, 4, 0.001667, 700}, 0.01666, 15 * US, 100},
        {"less noise takes more", {24, 4, 0.000333, 700}, 0.003329, 15 * US, 100},
        {"more noise takes none", {24, 4, 0.017, 700}, 0.0199, 15 * US, 24},
        {"never fewer than the suite says", {200, 4, 0.0017, 700}, 0.00999, 15 * US, 200},
        {"15 us: 0.7 s is 218 blocks of 3.2 ms", {24, 4, 0.0003, 700}, 0.05, 15 * US, 218},
        {"15 us: 2 s would be 625, and 512 are the most",
         {24, 4, 0.0003, 2000},
         0.05,
         15 * US,
         512},
        {"next to nothing: 0.7 s is 349 blocks of 2 ms", {24, 4, 0.0003, 700}, 0.05, 1, 349},
        {"74 us: 0.7 s is 88 blocks of 7.9 ms", {24, 4, 0.0003, 700}, 0.015, 74 * US, 88},
        {"1 ms: 0.7 s is 8 blocks of 82 ms", {8, 4, 0.0003, 700}, 0.05, 1 * MS, 8},
        {"10 ms: noise is not in blocks", {24, 4, 0.0003, 700}, 0.05, 10 * MS, 24},
        {"more launches a batch take longer", {24, 64, 0.0003, 700}, 0.05, 15 * US, 39},
        {"without a limit of noise there is no pilot", {24, 4, 0, 700}, 0.05, 15 * US, 24},
        {"fewer than a pilot has are exact", {6, 4, 0.0017, 700}, 0.05, 15 * US, 6},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double blocks[SG_PILOT_BLOCKS];
        /* Above and below in turns: the sd of eight such is sqrt(8 / 7) of
         * their distance from the mean. */
        for (unsigned b = 0; b < SG_PILOT_BLOCKS; b++)
            blocks[b] = 0.02 + (b % 2 ? 1 : -1) * rows[i].sd * sqrt(7.0 / 8.0);
        const unsigned count = sg_abba_block_count(&rows[i].pilot, blocks, rows[i].launch_ns);
        if (count != rows[i].count)
            fail_msg("%s: %u instead of %u", rows[i].sentence, count, rows[i].count);
    }
}

TEST(processes)
{
    double blocks10[10] = {0.01, 0.01, 0.01, 0.01, 9.0, 0.01, 0.01, -9.0, 0.01, 0.01};
    double blocks9[9] = {0, 0, 0, 0, 0.9, 0, 0, 0, 0};
    assert_close("of ten blocks the largest and the smallest are cut",
                 sg_abba_value(blocks10, 10).y, 0.01);
    assert_close("of nine blocks none is cut", sg_abba_value(blocks9, 9).y, 0.1);
}

TEST(blocks_tell_how_sure_their_process_is)
{
    double five[] = {0.03, 0.01, 0.05, 0.02, 0.04};
    assert_close("untrimmed: sd / sqrt(n)", sg_abba_value(five, 5).blocks_se, sqrt(0.00025 / 5));
    double wild[] = {1, 2, 3, 4, 5, 6, 7, 8, -900, 900};
    const double tame[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 8};
    assert_close("one cut at each end counts as the outermost kept",
                 sg_abba_value(wild, 10).blocks_se, sg_sd(tame, 10) / (0.8 * sqrt(10)));
    double one[] = {0.01};
    assert_close("one block tells nothing", sg_abba_value(one, 1).blocks_se, 0.0);
}

TEST(estimates)
{
    const double y[] = {0.01, 0.02, 0.03, 0.04, 0.05};
    const struct sg_estimate five = sg_abba_estimate(y, 5);
    assert_close("mean", five.mean, 0.03);
    assert_close("sd", five.sd, sqrt(0.00025));
    assert_close("se", five.se, sqrt(0.00025 / 5));
    assert_close("low", five.low, 0.03 - 3.98 * five.se);
    assert_close("high", five.high, 0.03 + 3.98 * five.se);
    assert_int_equal(five.n, 5);
    const struct sg_estimate four = sg_abba_estimate(y, 4);
    assert_close("mean of four", four.mean, 0.025);
    assert_true(isnan(four.low) && isnan(four.high)); /* four processes make no interval */
    const struct sg_estimate one = sg_abba_estimate(y, 1);
    assert_close("one process has no spread", one.se, 0.0);
}

TEST(an_interval_gives_its_error_back)
{
    static const unsigned n[] = {5, 6, 8, 10, 12, 20, 40};
    for (size_t i = 0; i < COUNT(n); i++) {
        double y[40];
        uint64_t random = n[i];
        for (unsigned k = 0; k < n[i]; k++)
            y[k] = 0.01 * sg_random_normal(&random);
        const struct sg_estimate estimate = sg_abba_estimate(y, n[i]);
        assert_close("se", sg_abba_se_of(exp(estimate.low), exp(estimate.high), n[i]), estimate.se);
    }
}

TEST(spikes)
{
    static const struct {
        const char *sentence;
        double ns[5];
        unsigned n, spikes;
    } rows[] = {
        {"none among equals", {10, 10, 10, 10}, 4, 0},
        {"five times the median is none yet", {10, 10, 10, 50}, 4, 0},
        {"beyond it is one", {10, 10, 10, 50.1}, 4, 1},
        {"two", {10, 100, 10, 200, 10}, 5, 2},
        {"a single launch is its own median", {10}, 1, 0},
        {"no launch, no spike", {0}, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (sg_abba_spikes(rows[i].ns, rows[i].n) != rows[i].spikes)
            fail_msg("%s", rows[i].sentence);
}

TEST(the_coin_is_fair_and_repeats_itself)
{
    size_t heads = 0;
    size_t changes = 0;
    bool last = false;
    for (unsigned process = 0; process < 100; process++)
        for (unsigned block = 0; block < 100; block++) {
            const bool coin = sg_abba_coin(7, process, block);
            assert_int_equal(coin, sg_abba_coin(7, process, block));
            heads += coin;
            changes += coin != last;
            last = coin;
        }
    assert_in_range(heads, 4800, 5200); /* 4 standard deviations of 10,000 fair tosses */
    assert_in_range(changes, 4800, 5200);
    size_t same = 0;
    for (unsigned block = 0; block < 10000; block++)
        same += sg_abba_coin(7, 0, block) == sg_abba_coin(8, 0, block);
    assert_in_range(same, 4800, 5200); /* another seed is another sequence */
}

TEST(random_numbers)
{
    const size_t n = 100000;
    double *x = malloc(n * sizeof(*x));
    uint64_t random = 1;
    for (size_t i = 0; i < n; i++)
        x[i] = sg_random_unit(&random);
    for (size_t i = 0; i < n; i++)
        assert_true(x[i] >= 0.0 && x[i] < 1.0);
    assert_true(fabs(sg_mean(x, n) - 0.5) < 0.004);
    for (size_t i = 0; i < n; i++)
        x[i] = sg_random_normal(&random);
    assert_true(fabs(sg_mean(x, n)) < 0.013);
    assert_true(fabs(sg_sd(x, n) - 1.0) < 0.009);
    free(x);
    uint64_t known = 1234567;
    assert_true(sg_random_next(&known) ==
                6457827717110365317u); /* first value of splitmix64 for this seed, as published */
}

/* ---- the order in which a process loads the two sides ---- */

/* Processes that alternate by +-a around `mean`, with `own` beside that. */
static struct sg_estimate alternate(double a, const double *own, size_t n)
{
    double y[20];
    for (size_t i = 0; i < n; i++)
        y[i] = 0.01 + (i % 2 ? a : -a) + own[i];
    return sg_abba_estimate(y, n);
}

TEST(both_orders_count_alike)
{
    static const double own[20] = {1e-4,  2e-4, -1e-4, -3e-4, 2e-4,  1e-4, -2e-4, 0, 3e-4, -1e-4, 0,
                                   -2e-4, 1e-4, 1e-4,  0,     -1e-4, 2e-4, 1e-4,  0, -2e-4};
    static const size_t counts[] = {9, 10, 12, 20};
    for (size_t i = 0; i < COUNT(counts); i++) {
        const size_t n = counts[i];
        const struct sg_estimate still = alternate(0, own, n), turns = alternate(0.003, own, n);
        assert_true(still.order == 0);
        assert_close("se", still.se, still.sd / sqrt((double)n));
        /* Of nine, five are of one order: their mean would be off by a ninth of the effect. */
        assert_true(fabs(turns.order - 0.006) < 0.0003 && fabs(turns.mean - 0.01) < 0.0001);
        assert_true(turns.sd > 0.0029 && turns.se < 1.6 * still.se && turns.se > 0.7 * still.se);
        assert_close("the interval", turns.high - turns.low,
                     2 * sg_look_constant(SG_ALPHA_05, n) * turns.se);
    }
    /* An effect as small as the noise may be chance. */
    assert_true(alternate(0.0001, own, 10).order == 0);
    /* Five fall into two states by order in 1 of 16 cases. */
    assert_true(alternate(0.003, own, 5).order == 0);
}

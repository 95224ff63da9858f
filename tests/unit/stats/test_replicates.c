/* stats/replicates.h: range, correlation and trend of processes in their order, and how
 * often chance is taken for either. */
#include <string.h>

#include "check.h"
#include "near.h"
#include "stats/replicates.h"
#include "util/random.h"

#define PROCESSES 10
#define ROUNDS    20000

/* How many of 1,000 gates of so many processes are told to depend on one another. */
static double told(size_t n, double correlation, double trend)
{
    size_t count = 0;
    uint64_t random = 3;
    for (size_t round = 0; round < ROUNDS; round++) {
        double y[20], off = sg_random_normal(&random);
        for (size_t i = 0; i < n; i++) {
            off =
                correlation * off + sqrt(1 - correlation * correlation) * sg_random_normal(&random);
            y[i] = 0.001 * (off + trend * (double)i / (double)(n - 1));
        }
        SG_SCOPED(sg_text) found = {0};
        sg_replicates_describe(y, n, &found);
        count += found.length > 0;
    }
    return 1000.0 * (double)count / ROUNDS;
}

/* ---- the spread against nights before ---- */

static struct sg_spread_check check_of(double tonight_sd, double processes, const double *nights,
                                       size_t count)
{
    struct sg_spread_night past[16];
    for (size_t i = 0; i < count; i++)
        past[i] = (struct sg_spread_night){.sd = nights[i], .processes = 10};
    return sg_spread_check_of(
        (struct sg_spread_night){
            .sd = tonight_sd, .processes = processes, .inner_sd = NAN, .fast_sd = NAN},
        past, count);
}

#define WIDE   0.009
#define NARROW 0.001

static const double nights[12] = {
    WIDE,   WIDE,   WIDE,   WIDE,   WIDE,   NARROW,
    NARROW, NARROW, NARROW, NARROW, NARROW, NARROW}; /* slow ones change their median by little */

TEST(a_spread_is_held_against_the_median_of_nights)
{
    const struct sg_spread_check check = check_of(WIDE, 20, nights, COUNT(nights));
    assert_true(check.times > 8 && check.usual.sd < 1.1 * NARROW);
    assert_near("a median of 12 x 9 degrees", check.usual.df, 0.64 * 12 * 9, 1e-9);
    assert_true(check_of(NARROW, 20, nights, COUNT(nights)).times < 1);
    assert_true(isnan(check_of(WIDE, 20, nights, SG_SPREAD_NIGHTS - 1).times));
}

/* Of so many rows of one night, the first spreads `first` times as much as usual, the others
 * `others` times. */
TEST(rows_of_a_night_are_judged_at_once)
{
    enum { ROWS = 22 };
    static const struct {
        const char *sentence;
        double first, others, processes;
        size_t count;
        bool is_wide, is_noisier,
            is_known; /* the first; of the others `is_known` alone is true or false */
    } rows[] = {
        {"all as usual", 1, 1, 20, ROWS, false, false, true},
        {"a row five times as much", 5, 1, 20, ROWS, true, true, true},
        {"by five processes that is no chance, too", 5, 1, 5, ROWS, true, true, true},
        {"a row 1.8 times as much is noisier and no finding", 1.8, 1, 20, ROWS, false, true, true},
        {"a row 1.2 times as much is chance", 1.2, 1, 20, ROWS, false, false, true},
        {"all twice as much: the night is noisy, no row is wide", 2, 2, 20, ROWS, false, false,
         false},
        {"a row that stands out of such a night", 8, 2, 20, ROWS, true, true, false},
        {"all a little quieter", 0.8, 0.8, 20, ROWS, false, false, true},
        {"of four rows none shows what the night is like", 5, 5, 20, 4, true, true, true},
        {"a row alone", 5, 1, 20, 1, true, true, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_spread_check checks[ROWS];
        for (size_t k = 0; k < rows[i].count; k++)
            checks[k] = check_of(NARROW * (k == 0 ? rows[i].first : rows[i].others),
                                 rows[i].processes, nights + 1, 11);
        if (rows[i].count > 1)
            checks[1].times = NAN; /* a row without nights counts for nothing */
        sg_spread_checks_settle(checks, rows[i].count);
        if (checks[0].is_wide != rows[i].is_wide ||
            (checks[0].usual.chance < SG_NOISY_ROW) != rows[i].is_noisier ||
            (checks[0].usual.df > 0) != rows[i].is_known)
            fail_msg("%s: %.2f times, wide %d, chance %g, df %g", rows[i].sentence, checks[0].times,
                     checks[0].is_wide, checks[0].usual.chance, checks[0].usual.df);
        if (rows[i].count > 4 && (checks[1].is_wide || checks[2].is_wide))
            fail_msg("%s: others are wide", rows[i].sentence);
    }
}

/* Processes alternate around 0 by NARROW, `times` as far; some are slower. */
TEST(a_slow_state_is_neither_noise_nor_one_process)
{
    static const struct {
        const char *sentence;
        double times, slower;
        size_t slow;
        bool is_wide, is_known;
    } rows[] = {
        {"six of twenty are slower", 1, 0.02, 6, true, true},
        {"one is", 1, 0.05, 1, false, true},
        {"all are noisier", 6, 0, 0, false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_spread_night past[11];
        struct sg_spread_check checks[2];
        double y[20];
        for (size_t k = 0; k < COUNT(past); k++)
            past[k] = (struct sg_spread_night){.sd = NARROW, .processes = 10};
        for (size_t k = 0; k < COUNT(y); k++)
            y[k] = rows[i].times * (k % 2 ? NARROW : -NARROW) +
                   (k < rows[i].slow ? rows[i].slower : 0);
        checks[0] = sg_spread_check_of(sg_spread_night_of(y, COUNT(y), 0), past, COUNT(past));
        checks[1] = (struct sg_spread_check){.times = NAN};
        sg_spread_checks_settle(checks, COUNT(checks));
        if (!(checks[0].times > SG_SPREAD_TIMES) || checks[0].is_wide != rows[i].is_wide ||
            (checks[0].usual.df > 0) != rows[i].is_known)
            fail_msg("%s: %.2f times, inner %.2f, fast %.2f, wide %d", rows[i].sentence,
                     checks[0].times, checks[0].inner_times, checks[0].fast_times,
                     checks[0].is_wide);
    }
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
    static const double y[] = {-0.001, 0.0005, 0.001, 0.0018, 0.003}, turns[] = {-1, 1, -1, 1, -1};
    SG_SCOPED(sg_text) text = {0};
    sg_replicates_describe(turns, COUNT(turns), &text);
    sg_replicates_describe(y, 4, &text); /* too few */
    assert_int_equal(text.length, 0);
    sg_replicates_describe(y, COUNT(y), &text);
    assert_string_equal(text.data,
                        "processes -0.1 % to +0.3 %, correlation of neighbours -0.4 +- "
                        "0.4, trend +0.37 % +- 0.03 %: not independent, so the interval is too "
                        "narrow; something changed meanwhile, so run it again");
}

/* ---- all pairs of a run ---- */

TEST(dependence_shows_over_many_pairs)
{
    static const struct {
        const char *sentence;
        size_t pairs;
        double correlation, least, most; /* how many of 1,000 runs state it */
        const char *says;
    } rows[] = {
        {"independent", 22, 0, 0, 6, ""},
        {"one pair", 1, 0.3, 0, 60, "follow"},
        {"22 that correlate by 0.3", 22, 0.3, 400, 700, "follow one another"},
        {"60 that do", 60, 0.3, 900, 1000, "follow one another"},
        {"and by -0.5", 22, -0.5, 990, 1000, "alternate"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t random = 9 + i;
        size_t stated = 0;
        for (size_t run = 0; run < 1000; run++) {
            struct sg_independence all = {0};
            SG_SCOPED(sg_text) out = {0};
            for (size_t pair = 0; pair < rows[i].pairs; pair++) {
                double y[PROCESSES], off = sg_random_normal(&random);
                for (size_t k = 0; k < PROCESSES; k++) {
                    off = rows[i].correlation * off +
                          sqrt(1 - rows[i].correlation * rows[i].correlation) *
                              sg_random_normal(&random);
                    y[k] = 0.001 * off;
                }
                sg_independence_add(&all, y, PROCESSES);
            }
            sg_independence_describe(&all, &out);
            stated += out.length > 0 && strstr(out.data, rows[i].says) != NULL;
        }
        print_message("%s: stated of %zu in 1000\n", rows[i].sentence, stated);
        if ((double)stated < rows[i].least || (double)stated > rows[i].most)
            fail_msg("%s: stated of %zu in 1000", rows[i].sentence, stated);
    }
}

/* compare/compare.h: each row of a table here is a sentence about when a night is green, and what
 * it says when it is not: times and verdicts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "night.h"
#include "results/env.h"
#include "stats/decision.h"

/* ---- paired ---- */

TEST(paired)
{
    const double quiet = 0.0002;
    const struct {
        const char *sentence;
        double is, is_se, was, was_se, sd_day, tolerance;
        const char *expect;
        enum sg_verdict accepted, baseline;
        int exit_code;
    } rows[] = {
        {"the same ratio is within", 1.0, quiet, 1.0, quiet, NAN, 0.005, "", SG_WITHIN, SG_WITHIN,
         0},
        {"a change below the tolerance is within", 1.001, quiet, 1.0, quiet, NAN, 0.005, "",
         SG_WITHIN, SG_WITHIN, 0},
        {"4 % slower is regressed", 1.04, quiet, 1.0, quiet, NAN, 0.005, "", SG_REGRESSED,
         SG_REGRESSED, 1},
        {"4 % faster is improved", 0.96, quiet, 1.0, quiet, NAN, 0.005, "", SG_IMPROVED,
         SG_IMPROVED, 0},
        {"faster than its baseline and 4 % slower than accepted is regressed", 0.52, quiet, 0.5,
         quiet, NAN, 0.005, "", SG_REGRESSED, SG_IMPROVED, 1},
        {"overlap is inconclusive", 1.004, 0.002, 1.0, 0.002, NAN, 0.005, "", SG_INCONCLUSIVE,
         SG_INCONCLUSIVE, 2},
        {"a clear change in a wide interval is inconclusive", 1.03, 0.008, 1.0, quiet, NAN, 0.005,
         "", SG_INCONCLUSIVE, SG_INCONCLUSIVE, 2},
        {"a clear gain in a wide interval is inconclusive", 0.97, 0.008, 1.0, quiet, NAN, 0.005, "",
         SG_INCONCLUSIVE, SG_INCONCLUSIVE, 2},
        {"days that differ more than the change is large are inconclusive", 1.01, quiet, 1.0, quiet,
         0.02, 0.005, "", SG_INCONCLUSIVE, SG_REGRESSED, 2},
        {"a tolerance of the accepted row that is above the suite's hides nothing", 1.03, quiet,
         1.0, quiet, NAN, 0.05, "", SG_REGRESSED, SG_REGRESSED, 1},
        {"but what needs it is told from what does not", 1.004, 0.004, 1.0, quiet, NAN, 0.05, "",
         SG_UNRESOLVED, SG_INCONCLUSIVE, 3},
        {"as slow as accepted wakes nobody", 1.2, quiet, 1.2, quiet, NAN, 0.005, "regressed",
         SG_WITHIN, SG_REGRESSED, 0},
        {"accepted as slow, and slower still, is regressed", 1.3, quiet, 1.2, quiet, NAN, 0.005,
         "regressed", SG_REGRESSED, SG_REGRESSED, 1},
        {"accepted as slow, and slow no more, is fixed", 1.0, quiet, 1.2, quiet, NAN, 0.005,
         "regressed", SG_FIXED, SG_WITHIN, 0},
        {"accepted as slow, and faster than its baseline, is fixed", 0.9, quiet, 1.2, quiet, NAN,
         0.005, "regressed", SG_FIXED, SG_IMPROVED, 0},
        {"accepted as slow, but faster than its baseline, and 2x slower is regressed", 0.8, quiet,
         0.4, quiet, NAN, 0.005, "regressed", SG_REGRESSED, SG_IMPROVED, 1},
        {"without an accepted tolerance it cannot be gated, however quiet", 1.0, quiet, 1.0, quiet,
         NAN, NAN, "", SG_NOT_GATED, SG_WITHIN, 3},
        {"nor has the noise of the night a tolerance to give", 1.3, 0.08, 1.0, quiet, NAN, NAN, "",
         SG_NOT_GATED, SG_INCONCLUSIVE, 3},
        {"a need of as much as tolerance_max gates", 1.004, 0.004, 1.0, quiet, NAN, 0.1, "",
         SG_UNRESOLVED, SG_INCONCLUSIVE, 3},
        {"one above it does not", 1.004, 0.004, 1.0, quiet, NAN, 0.101, "", SG_NOT_GATED,
         SG_INCONCLUSIVE, 3},
        {"nor does it leave a row inconclusive", 1.05, 0.1, 1.0, quiet, NAN, 0.101, "",
         SG_NOT_GATED, SG_INCONCLUSIVE, 3},
        {"but what is slower than even that is regressed", 1.3, quiet, 1.0, quiet, NAN, 0.101, "",
         SG_REGRESSED, SG_REGRESSED, 1},
        {"accepted as slow, and slow no more, is not fixed by such a tolerance", 1.0, quiet, 1.2,
         quiet, NAN, 0.9, "regressed", SG_NOT_GATED, SG_WITHIN, 3},
        {"accepted as slow, and less slow, is improved", 1.1, quiet, 1.2, quiet, NAN, 0.005,
         "regressed", SG_IMPROVED, SG_REGRESSED, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add(&night, hand_ratio("v", rows[i].is, rows[i].is_se));
        const struct sg_value was = hand_ratio("v", rows[i].was, rows[i].was_se);
        struct sg_accepted *accepted = hand_accept(&night.baseline, &was);
        accepted->sd_day = rows[i].sd_day;
        accepted->tolerance = rows[i].tolerance;
        accepted->expect = sg_table_intern(&night.baseline.table, rows[i].expect);
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", "time_ratio");
        expect_verdict(rows[i].sentence, finding, rows[i].accepted);
        if (finding->baseline != rows[i].baseline)
            fail_msg("%s: against the baseline it is %s", rows[i].sentence,
                     sg_verdict_word(finding->baseline));
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
    }
}

TEST(on_this_gpu_and_on_another)
{
    static const struct {
        const char *sentence, *runs, *units, *unit;
        double sd, slower;
        enum sg_verdict verdict;
        const char *said;
    } rows[] = {
        {"on the GPU that was accepted 2 % are found", "8", "a1", "a1", 0.001, 1.02, SG_REGRESSED,
         "slower than accepted"},
        {"on another GPU they may be the GPU's", "8", "a1", "b2", 0.001, 1.02, SG_INCONCLUSIVE,
         "accept on this one, or from several"},
        {"and an unchanged night cannot be distinguished from 0.5 %", "8", "a1", "b2", 0.001, 1.0,
         SG_INCONCLUSIVE, "accept on this one"},
        {"20 % are found on any GPU", "8", "a1", "b2", 0.001, 1.2, SG_REGRESSED,
         "slower than accepted"},
        {"of two GPUs that agree not much is said", "2", "a1+b2", "c3", 0.0, 1.02, SG_INCONCLUSIVE,
         "the spread between GPUs"},
        {"of eight that agree all is said", "8", "a1+b2+c3+d4+e5+f6+a7+b8", "c9", 0.0005, 1.02,
         SG_REGRESSED, "slower than accepted"},
        {"of eight that differ this much it is not", "8", "a1+b2+c3+d4+e5+f6+a7+b8", "a1", 0.01,
         1.02, SG_INCONCLUSIVE, "--unit"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        sg_env_set(&night.env, "gpu_uuid_hash", rows[i].unit);
        sg_env_set(&night.baseline.env, "accepted_runs", rows[i].runs);
        sg_env_set(&night.baseline.env, "accepted_units", rows[i].units);
        night_add(&night, hand_ratio("v", rows[i].slower, 0.0002));
        const struct sg_value was = hand_ratio("v", 1.0, 0.0002);
        hand_accept(&night.baseline, &was)->sd_day = rows[i].sd;
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", "time_ratio");
        expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        if (!strstr(finding->why, rows[i].said))
            fail_msg("%s: says '%s'", rows[i].sentence, finding->why);
    }
}

/* Eight GPUs of 0.4 %, whose mean's interval holds 0.4 % / sqrt(8) and 0.1 % of
 * processes; this run's own is 0.2 %. */
TEST(what_the_interval_of_a_mean_holds_counts_once)
{
    NIGHT(night);
    sg_env_set(&night.baseline.env, "accepted_units", "a1+b2+c3+d4+e5+f6+a7+b8");
    night_add(&night, hand_ratio("v", 1.03, 0.002));
    const struct sg_value was = hand_ratio("v", 1.0, sqrt(0.004 * 0.004 / 8.0 + 0.001 * 0.001));
    hand_accept(&night.baseline, &was)->sd_day = 0.004;
    night_compare(&night);
    /* 4e-6 of 4 df, 1e-6 of 4, 16e-6 x 9/8 = 18e-6 of 7: 23e-6; 23^2 /
     * (16 / 4 + 1 / 4 + 324 / 7) = 10.5 */
    const double c = sg_t_quantile(1.0 - 0.5 * sg_look_level(SG_ALPHA_05), 10);
    const struct sg_finding *finding = finding_of(&night, "v", "time_ratio");
    assert_true(fabs(log1p(finding->high) - (log(1.03) + c * sqrt(23e-6))) < 1e-9);
}

TEST(an_error_that_is_not_known_is_never_green)
{
    const struct sg_bounds bounds = sg_bounds_at_look(5);
    const struct {
        const char *sentence;
        struct sg_difference difference;
    } rows[] = {
        {"no difference", {.mean = NAN, .se = 0.001, .bounds = bounds, .tolerance = 0.005}},
        {"no standard error", {.mean = 0.0, .se = NAN, .bounds = bounds, .tolerance = 0.005}},
        {"no bounds: four processes",
         {.mean = 0.0, .se = 0.001, .bounds = sg_bounds_at_look(4), .tolerance = 0.005}},
        {"no tolerance", {.mean = 0.0, .se = 0.001, .bounds = bounds, .tolerance = NAN}},
        {"an infinite error", {.mean = 0.0, .se = INFINITY, .bounds = bounds, .tolerance = 0.005}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (sg_decide(&rows[i].difference).verdict != SG_INVALID_VALUE)
            fail_msg("%s: is %s", rows[i].sentence,
                     sg_verdict_word(sg_decide(&rows[i].difference).verdict));
}

TEST(a_finding_carries_its_numbers)
{
    NIGHT(night);
    sg_env_set(&night.baseline.env, "accepted_runs", "5"); /* a spread of 0 is known */
    night_add(&night, hand_ratio("v", 1.05, 0.001));
    const struct sg_value was = hand_ratio("v", 1.0, 0.001);
    hand_accept(&night.baseline, &was)->sd_day = 0.0;
    night_compare(&night);
    const struct sg_finding *finding = finding_of(&night, "v", "time_ratio");
    const double se =
        sqrt(2.0) * 0.001; /* both intervals; 8 degrees of freedom, because both count alike */
    const double c = sg_t_quantile(1.0 - 0.5 * sg_look_level(SG_ALPHA_05), 8);
    assert_true(fabs(finding->change - 0.05) < 1e-9);
    assert_true(fabs(finding->low - (1.05 * exp(-c * se) - 1.0)) < 1e-9);
    assert_true(fabs(finding->high - (1.05 * exp(c * se) - 1.0)) < 1e-9);
    assert_true(fabs(finding->baseline_change - 0.05) < 1e-9);
    assert_true(fabs(finding->baseline_low - (1.05 * exp(-3.98 * 0.001) - 1.0)) < 1e-9);
    assert_true(finding->was == 1.0 && finding->is == 1.05 && finding->tolerance == 0.005);
    const double mde =
        log1p(0.005) + (sg_t_quantile(1.0 - 0.5 * sg_look_level(SG_ALPHA_01), 8) + 1.3) * se;
    assert_true(fabs(log1p(finding->resolution) - mde) < 1e-9);
}

/* ---- absolute, clock-aware ---- */

TEST(absolute)
{
    const double f0 = 1.755e9;
    const struct {
        const char *sentence;
        double slower,
            clock; /* time and clock of this night, over the accepted ones; clock 0: not recorded */
        double beta, sd_process, sd_day;
        enum sg_verdict verdict;
        int exit_code;
    } rows[] = {
        {"the same time at the same clock is within", 1.0, 1.0, 1.0, 0.0005, 0.0005, SG_WITHIN, 0},
        {"2 % slower at the same clock is regressed", 1.02, 1.0, 1.0, 0.0005, 0.0005, SG_REGRESSED,
         1},
        {"2 % faster at the same clock is improved", 0.98, 1.0, 1.0, 0.0005, 0.0005, SG_IMPROVED,
         0},
        {"slower by its clock alone is within", 1.0 / 0.99, 0.99, 1.0, 0.0005, 0.0005, SG_WITHIN,
         0},
        {"a loss hidden by a faster clock is found", 1.0, 1.02, 1.0, 0.0005, 0.0005, SG_REGRESSED,
         1},
        {"a kernel bound by memory does not follow the clock", 1.0, 0.98, 0.0, 0.0005, 0.0005,
         SG_WITHIN, 0},
        {"a clock far from the accepted one makes it inconclusive", 1.0 / 0.8, 0.8, 1.0, 0.0005,
         0.0005, SG_INCONCLUSIVE, 2},
        {"what is not known of beta widens the interval", 1.0 / 0.97, 0.97, NAN, 0.0005, 0.0005,
         SG_INCONCLUSIVE, 2},
        {"an unknown beta does no harm at the same clock", 1.0, 1.0, NAN, 0.0005, 0.0005, SG_WITHIN,
         0},
        {"without a clock nothing finer than 2 % is said", 1.0, 0, 1.0, 0.0005, 0.0005,
         SG_INCONCLUSIVE, 2},
        {"without a clock a large loss still counts", 1.2, 0, 1.0, 0.0005, 0.0005, SG_REGRESSED, 1},
        {"noisy processes are inconclusive", 1.01, 1.0, 1.0, 0.02, 0.0005, SG_INCONCLUSIVE, 2},
        {"days that are known to differ are inconclusive", 1.01, 1.0, 1.0, 0.0005, 0.02,
         SG_INCONCLUSIVE, 2},
        {"days of which nothing is known may differ a little", 1.02, 1.0, 1.0, 0.0005, NAN,
         SG_REGRESSED, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        sg_env_set(&night.baseline.env, "accepted_runs", "5"); /* a small spread is known */
        night_add(&night, hand_words("base", "role", SG_OK, "baseline"));
        if (rows[i].clock > 0)
            night_add(&night, hand_number("base", "sm_clock", rows[i].clock * f0));
        night_add(&night, hand_time("base", 10000.0 * rows[i].slower, 0.02));
        const struct sg_value was = hand_time("base", 10000.0, 0.02);
        struct sg_accepted *accepted = hand_accept(&night.baseline, &was);
        accepted->tolerance = 0.005;
        accepted->beta = rows[i].beta;
        accepted->f0 = f0;
        accepted->sd_process = rows[i].sd_process;
        accepted->sd_day = rows[i].sd_day;
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "base", "time"), rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
    }
}

TEST(without_an_accepted_spread_the_intervals_tell_it)
{
    NIGHT(night);
    sg_env_set(&night.baseline.env, "accepted_runs", "5"); /* a spread of 0 is known */
    night_add(&night, hand_words("base", "role", SG_OK, "baseline"));
    night_add(&night, hand_number("base", "sm_clock", 1.7e9));
    night_add(&night, hand_time("base", 10100, 0.003));
    const struct sg_value was = hand_time("base", 10000, 0.004);
    struct sg_accepted *accepted = hand_accept(&night.baseline, &was);
    accepted->f0 = 1.7e9;
    accepted->sd_day = 0.0;
    night_compare(&night);
    const struct sg_finding *finding = finding_of(&night, "base", "time");
    const double se =
        0.005; /* 3 and 4; Welch and Satterthwaite: 0.005^4 / (0.003^4 / 4 + 0.004^4 / 4) = 7.4 */
    const double c = sg_t_quantile(1.0 - 0.5 * sg_look_level(SG_ALPHA_05), 7);
    assert_true(fabs(log1p(finding->high) - (log(1.01) + c * se)) < 1e-6);
    assert_true(fabs(log1p(finding->low) - (log(1.01) - c * se)) < 1e-6);
}

TEST(the_tolerance_of_an_absolute_time)
{
    static const struct {
        const char *sentence, *tolerance_max; /* as accepted; NULL: not said, so 10 % */
        double slower, tolerance, sd_day;
        enum sg_verdict verdict;
        int exit_code;
    } rows[] = {
        {"an accepted one holds", NULL, 1.01, 0.005, 0.0001, SG_REGRESSED, 1},
        {"without one a quiet row is not gated", NULL, 1.0, NAN, 0.0001, SG_NOT_GATED, 3},
        {"and neither is one whose days differ", NULL, 1.0, NAN, 0.01, SG_NOT_GATED, 3},
        {"nor one that became 5 % slower", NULL, 1.05, NAN, 0.0001, SG_NOT_GATED, 3},
        {"of 7.5 % 1 % is unresolved, not within", NULL, 1.01, 0.075, 0.01, SG_UNRESOLVED, 3},
        {"but not where tolerance_max is 5 %", "0.05", 1.01, 0.075, 0.01, SG_NOT_GATED, 3},
        {"nor does 20 %", NULL, 1.01, 0.2, 0.01, SG_NOT_GATED, 3},
        {"and twice as slow is found with it", NULL, 2.0, 0.2, 0.01, SG_REGRESSED, 1},
        {"a suite of noisy kernels may allow 25 %", "0.25", 1.01, 0.2, 0.01, SG_UNRESOLVED, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        sg_env_set(&night.baseline.env, "accepted_runs", "5");
        if (rows[i].tolerance_max)
            sg_env_set(&night.baseline.env, SG_TOLERANCE_MAX_KEY, rows[i].tolerance_max);
        sg_env_set(&night.env, SG_TOLERANCE_MAX_KEY,
                   "0.9"); /* what the run's suite would allow is nobody's business */
        night_add(&night, hand_words("base", "role", SG_OK, "baseline"));
        night_add(&night, hand_number("base", "sm_clock", 1.7e9));
        night_add(&night, hand_time("base", 10000.0 * rows[i].slower, 0.001));
        const struct sg_value was = hand_time("base", 10000.0, 0.001);
        struct sg_accepted *accepted = hand_accept(&night.baseline, &was);
        accepted->f0 = 1.7e9;
        accepted->sd_process = 0.0001;
        accepted->sd_day = rows[i].sd_day;
        accepted->tolerance = rows[i].tolerance;
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "base", "time"), rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
    }
}

TEST(absolute_times_of_candidates_are_shown_and_never_gate)
{
    struct night night;
    night_begin(&night);
    night_add(&night, hand_words("v", "role", SG_OK, "candidate"));
    night_add(&night, hand_time("v", 20000, 0.001));
    const struct sg_value was = hand_time("v", 10000, 0.001);
    hand_accept(&night.baseline, &was)->gate = false;
    night_compare(&night);
    expect_verdict("twice as slow", finding_of(&night, "v", "time"), SG_REGRESSED);
    assert_false(finding_of(&night, "v", "time")->gates);
    expect_exit("twice as slow", &night, 0);
    night_end(&night);

    night_begin(&night);
    night_add(&night, hand_words("v", "role", SG_OK, "candidate"));
    night_add(&night, hand_time("v", 20000, 0.001));
    hand_accept(&night.baseline, &was)->gate = true;
    night_compare(&night);
    expect_verdict("whoever asks for that is told", finding_of(&night, "v", "time"), SG_NOT_GATED);
    expect_exit("whoever asks for that is told", &night, 3);
    night_end(&night);
}

/* ---- whole cases, whole runs ---- */

TEST(a_case_that_moves_as_one_points_at_its_baseline)
{
    static const struct {
        const char *sentence;
        double is[3];
        bool explained;
    } rows[] = {
        {"all slower alike", {1.03, 1.031, 1.029}, true},
        {"all faster alike", {0.95, 0.951, 0.949}, true},
        {"one of three stays", {1.03, 1.031, 1.0}, false},
        {"both ways", {1.03, 0.97, 1.03}, false},
        {"all slower, but not alike", {1.03, 1.2, 1.05}, false},
    };
    const char *const variant[] = {"a", "b", "c"};
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        for (size_t k = 0; k < 3; k++) {
            night_add(&night, hand_ratio(variant[k], rows[i].is[k], 0.0002));
            const struct sg_value was = hand_ratio(variant[k], 1.0, 0.0002);
            hand_accept(&night.baseline, &was);
        }
        night_compare(&night);
        const bool explained =
            strstr(finding_of(&night, "a", "time_ratio")->why, "baseline variant changed") != NULL;
        if (explained != rows[i].explained)
            fail_msg("%s: %s", rows[i].sentence, finding_of(&night, "a", "time_ratio")->why);
    }
}

/* Of four rows that gate, with the p of each by hand: 5 processes, their own
 * errors alone, and both alike: 8 df. */
TEST(many_rows_at_once_have_a_share_of_false_ones)
{
    static const struct {
        const char *variant;
        double ratio;
    } rows[] = {{"a", 1.05}, {"b", 1.0}, {"c", 1.02}, {"d", 0.97}};
    double p[COUNT(rows)], q[COUNT(rows)];
    NIGHT(night);
    sg_env_set(&night.baseline.env, "accepted_runs", "5"); /* a spread of 0 is known */
    for (size_t i = 0; i < COUNT(rows); i++) {
        night_add(&night, hand_ratio(rows[i].variant, rows[i].ratio, 0.001));
        const struct sg_value was = hand_ratio(rows[i].variant, 1.0, 0.001);
        struct sg_accepted *accepted = hand_accept(&night.baseline, &was);
        accepted->sd_day = 0.0;
    }
    night_add(&night, hand_time("a", 1000, 0.001)); /* absolute, of a candidate: does not gate */
    night_compare(&night);
    for (size_t i = 0; i < COUNT(rows); i++)
        p[i] = sg_t_cdf(-(log(rows[i].ratio) - log1p(0.005)) / (sqrt(2.0) * 0.001), 8);
    /* ranked: a, c, b, d */
    q[0] = fmin(4.0 * p[0], 2.0 * p[2]);
    q[2] = 2.0 * p[2];
    q[1] = fmin(4.0 / 3.0 * p[1], p[3]);
    q[3] = p[3];
    for (size_t i = 0; i < COUNT(rows); i++) {
        const double found = night.comparison.q[index_of(&night, rows[i].variant, "time_ratio")];
        if (fabs(found - q[i]) > 1e-12)
            fail_msg("%s: q is %g instead of %g", rows[i].variant, found, q[i]);
    }
    assert_true(q[0] < 0.001 && q[2] < 0.01 && q[1] > 0.9);
    assert_true(isnan(night.comparison.q[index_of(&night, "a", "time")]));
}

TEST(not_comparable)
{
    static const struct {
        const char *sentence, *key, *run, *baseline;
        bool comparable;
    } rows[] = {
        {"another GPU", "gpu", "h100", "h200", false},
        {"another driver branch", "driver", "590.10", "580.159.04", false},
        {"another minor driver is comparable", "driver", "580.82", "580.159.04", true},
        {"a branch is a number, not a prefix", "driver", "58", "580.159.04", false},
        {"an older schema is comparable", "schema", "2", "1", true},
        {"another L2 state", "l2", "warm", "cold", false},
        {"a clean L2 is not a cold one", "l2", "clean", "cold", false},
        {"another source of times", "time_source", "cuda_event", "cupti_activity", false},
        {"times of which nobody says whence", "time_source", "", "cupti_activity", false},
        {"another date is comparable", "date", "2026-11-21", "2026-11-20", true},
        {"names of GPUs do not matter where their key is known", "gpu_name", "NVIDIA H200",
         "NVIDIA H200 NVL", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        sg_env_set(&night.env, rows[i].key, rows[i].run);
        sg_env_set(&night.baseline.env, rows[i].key, rows[i].baseline);
        night_add_as_accepted(&night, "v");
        night_compare(&night);
        if ((night.err.code == SG_SUCCESS) != rows[i].comparable)
            fail_msg("%s: %s", rows[i].sentence, night.err.message);
        if (!rows[i].comparable) {
            assert_int_equal(night.err.code, SG_NOT_COMPARABLE);
            assert_non_null(strstr(night.err.message, rows[i].run));
            assert_non_null(strstr(night.err.message, rows[i].baseline));
        }
        expect_exit(rows[i].sentence, &night, rows[i].comparable ? 0 : 3);
    }
}

TEST(a_number_of_another_unit_is_not_taken_for_the_same)
{
    for (int accepted = 0; accepted < 2; accepted++) {
        NIGHT(night);
        struct sg_value other = hand_number("v", "registers", 32);
        other.unit = "B";
        const struct sg_value same = hand_number("v", "registers", 32);
        night_add(&night, accepted ? same : other);
        hand_accept(&night.baseline, accepted ? &other : &same);
        night_compare(&night);
        assert_int_equal(night.err.code, SG_BAD_INPUT);
        assert_non_null(strstr(night.err.message, "f/c/v registers: expected the unit"));
    }
}

TEST(gpus_without_a_key_are_told_apart_by_name)
{
    NIGHT(night);
    sg_env_set(&night.env, "gpu", "unknown");
    sg_env_set(&night.baseline.env, "gpu", "unknown");
    sg_env_set(&night.env, "gpu_name", "NVIDIA T4");
    sg_env_set(&night.baseline.env, "gpu_name", "NVIDIA L4");
    night_add(&night, hand_words("v", "status", SG_OK, ""));
    night_compare(&night);
    assert_int_equal(night.err.code, SG_NOT_COMPARABLE);
}

/* compare/compare.h: an item as a whole. Is it the accepted one, was it judged at
 * all, and may it be other than green? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "night.h"
#include "results/row_kind.h"
#include "results/env.h"

#define QUIET 0.0002

TEST(a_role_is_as_it_was_accepted)
{
    static const struct {
        const char *sentence, *now, *then; /* NULL: no such row */
        double slower;
        const char *metric; /* of the finding; NULL: any that fails will do */
        enum sg_verdict verdict;
        int exit_code;
    } rows[] = {
        {"a baseline that is twice as slow", "baseline", "baseline", 2, "time", SG_REGRESSED, 1},
        {"is not fit for a verdict once it says that it is a candidate", "candidate", "baseline", 2,
         "time", SG_INVALID_VALUE, 3},
        {"nor where its role is misspelt", "basline", "baseline", 2, "time", SG_INVALID_VALUE, 3},
        {"nor where it has none", NULL, "baseline", 2, "time", SG_INVALID_VALUE, 3},
        {"nor where it says so and is as fast as ever", "candidate", "baseline", 1, "time",
         SG_INVALID_VALUE, 3},
        {"a candidate that became the baseline is not what was accepted", "baseline", "candidate",
         1, "time", SG_INVALID_VALUE, 3},
        {"without an accepted role the run's decides", "baseline", NULL, 2, "time", SG_REGRESSED,
         1},
        {"and where neither has one, the ratio is not there", NULL, NULL, 2, "time_ratio",
         SG_NOT_MEASURED, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night.as_written = true;
        const struct sg_value status = hand_words("base", "status", SG_OK, ""),
                              was = hand_time("base", 1000, QUIET);
        night_add(&night, status);
        night_add(&night, hand_time("base", 1000 * rows[i].slower, QUIET));
        hand_accept(&night.baseline, &status);
        hand_accept(&night.baseline, &was)->sd_process = QUIET;
        if (rows[i].now)
            night_add(&night, hand_words("base", "role", SG_OK, rows[i].now));
        if (rows[i].then) {
            const struct sg_value role = hand_words("base", "role", SG_OK, rows[i].then);
            hand_accept(&night.baseline, &role)->gate = false;
        }
        night_add_as_accepted(&night, "another");
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "base", rows[i].metric),
                       rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
    }
}

TEST(a_case_is_the_one_that_was_accepted)
{
    static const struct {
        const char *sentence, *metric;
        double now, then; /* NaN: a word */
        const char *now_word, *then_word;
        bool other;
    } rows[] = {
        {"the same shape", "shape", NAN, NAN, "4096x4096", "4096x4096", false},
        {"another shape", "shape", NAN, NAN, "2048x4096", "4096x4096", true},
        {"no shape any more", NULL, NAN, NAN, "", "4096x4096", true},
        {"the same work", "work_flop_f32", 2.35e8, 2.35e8, "", "", false},
        {"the same work, written with nine digits", "work_flop_f32", 235000000.4, 2.35e8, "", "",
         false},
        {"half of it", "work_flop_f32", 1.175e8, 2.35e8, "", "", true},
        {"a thousandth less", "work_read_bytes", 469530000, 4.7e8, "", "", true},
        {"work that is not a number", "work_read_bytes", NAN, 4.7e8, "", "", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        const char *metric = rows[i].metric ? rows[i].metric : "shape";
        struct sg_value now = isnan(rows[i].now) ? hand_words("v", metric, SG_OK, rows[i].now_word)
                                                 : hand_number("v", metric, rows[i].now),
                        then = isnan(rows[i].then)
                                   ? hand_words("v", metric, SG_OK, rows[i].then_word)
                                   : hand_number("v", metric, rows[i].then);
        if (rows[i].metric)
            night_add(&night, now);
        night_add(&night, hand_ratio("v", 1, QUIET));
        hand_accept(&night.baseline, &then)->gate = false;
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "v", "time_ratio"),
                       rows[i].other ? SG_INVALID_VALUE : SG_WITHIN);
        expect_exit(rows[i].sentence, &night, rows[i].other ? 3 : 0);
        if (rows[i].other)
            assert_non_null(
                strstr(finding_of(&night, "v", "time_ratio")->why, "the case has changed"));
    }
}

/* What is right must have its time held against an accepted one. */
TEST(what_was_not_judged_is_said)
{
    enum { ACCEPTED, RATIO_IS_ALONE, GATE_IS_OFF, NO_TOLERANCE, NO_RATIO, NO_ROW, NO_ROW_PARTIAL };
    enum { TIMED, NOT_TIMED, NO_TIME, NO_STATUS, ABSENT };
    static const struct {
        const char *sentence;
        int then, now;
        const char *metric;
        enum sg_verdict verdict;
        int exit_code;
    } rows[] = {
        {"all there", ACCEPTED, TIMED, "time_ratio", SG_WITHIN, 0},
        {"an accepted row that does not gate decides all the same", GATE_IS_OFF, TIMED,
         "time_ratio", SG_NOT_GATED, 3},
        {"an accepted row whose tolerance was emptied", NO_TOLERANCE, TIMED, "time_ratio",
         SG_NOT_GATED, 3},
        {"an accepted item whose ratio is gone", NO_RATIO, TIMED, "time_ratio", SG_NOT_ACCEPTED, 3},
        {"an item that is not in the accepted plan is new", NO_ROW, TIMED, "time_ratio", SG_NEW, 0},
        {"unless nobody accepted the whole plan", NO_ROW_PARTIAL, TIMED, "time_ratio",
         SG_NOT_ACCEPTED, 3},
        {"a right item that was not timed", ACCEPTED, NOT_TIMED, "time_ratio", SG_NOT_MEASURED, 3},
        {"a right item without a time", ACCEPTED, NO_TIME, "time_ratio", SG_NOT_MEASURED, 3},
        {"a new item that was not timed", NO_ROW, NOT_TIMED, "time_ratio", SG_NOT_MEASURED, 3},
        {"a new item without a time", NO_ROW, NO_TIME, "time_ratio", SG_NOT_MEASURED, 3},
        {"an item of which nobody says that it was verified", ACCEPTED, NO_STATUS, "status",
         SG_NOT_MEASURED, 3},
        {"and a new one", NO_ROW, NO_STATUS, "status", SG_NOT_MEASURED, 3},
        {"an accepted item that the run has not", ACCEPTED, ABSENT, "status", SG_NOT_MEASURED, 3},
        {"one of which nothing gates, too", GATE_IS_OFF, ABSENT, "status", SG_NOT_MEASURED, 3},
        {"and one of which no status was accepted", RATIO_IS_ALONE, ABSENT, "time_ratio",
         SG_NOT_MEASURED, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_value status = hand_words("v", "status", SG_OK, ""),
                              ratio = hand_ratio("v", 1, QUIET);
        NIGHT(night);
        night.as_written = true;
        night_add_as_accepted(&night, "another");
        if (rows[i].then == NO_ROW_PARTIAL)
            sg_env_set(&night.baseline.env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_PARTIAL);
        if (rows[i].then < NO_ROW && rows[i].then != RATIO_IS_ALONE)
            hand_accept(&night.baseline, &status)->gate = rows[i].then != GATE_IS_OFF;
        if (rows[i].then < NO_RATIO) {
            struct sg_accepted *accepted = hand_accept(&night.baseline, &ratio);
            accepted->gate = rows[i].then != GATE_IS_OFF;
            accepted->tolerance = rows[i].then == NO_TOLERANCE ? NAN : HAND_TOLERANCE;
        }
        if (rows[i].now != ABSENT && rows[i].now != NO_STATUS)
            night_add(&night, status);
        if (rows[i].now == TIMED || rows[i].now == NO_STATUS)
            night_add(&night, ratio);
        if (rows[i].now == NOT_TIMED)
            night_add(&night, hand_words("v", "time", SG_CRASH, "signal 11 in the time pass"));
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", rows[i].metric);
        expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        if (rows[i].now == NOT_TIMED)
            assert_non_null(strstr(finding->why, "signal 11 in the time pass"));
    }
}

/* A run of nothing but what fails as it should, or what is new, held no number against another. */
TEST(something_must_have_been_judged)
{
    static const struct {
        const char *sentence;
        enum sg_status status, declared, accepted; /* SG_STATUS_COUNT: not accepted */
        int exit_code;
    } rows[] = {
        {"new, and all there is", SG_OK, SG_OK, SG_STATUS_COUNT, 3},
        {"broken as declared, and nothing accepted", SG_WRONG, SG_WRONG, SG_STATUS_COUNT, 3},
        {"unsupported, and nothing accepted", SG_UNSUPPORTED, SG_OK, SG_STATUS_COUNT, 3},
        {"broken as declared and as accepted is an outcome that was held against another", SG_WRONG,
         SG_WRONG, SG_WRONG, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add(&night, hand_words("v", "status", rows[i].status, ""));
        night_add(&night, hand_words("v", "expect", rows[i].declared, ""));
        if (rows[i].accepted != SG_STATUS_COUNT) {
            const struct sg_value was = hand_words("v", "status", rows[i].accepted, "");
            hand_accept(&night.baseline, &was)->expect =
                sg_table_intern(&night.baseline.table, sg_status_word(rows[i].accepted));
        }
        night_compare(&night);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
    }
}

/* A right item without counters: was it denied them, or did something go wrong? */
TEST(what_went_wrong_while_it_was_counted_is_said)
{
    static const struct {
        const char *sentence;
        enum sg_status counted, status;
        const char *metric;
        enum sg_verdict verdict;
        int exit_code;
    } rows[] = {
        {"counted", SG_OK, SG_OK, "time_ratio", SG_WITHIN, 0},
        {"no permission for counters", SG_UNAVAILABLE, SG_OK, "time_ratio", SG_WITHIN, 0},
        {"not asked for", SG_SKIPPED, SG_OK, "time_ratio", SG_WITHIN, 0},
        {"crashed while counted", SG_CRASH, SG_OK, "count_passes", SG_NOT_MEASURED, 3},
        {"hung while counted", SG_HANG, SG_OK, "count_passes", SG_NOT_MEASURED, 3},
        {"an error of CUDA while counted", SG_CUDA_ERROR, SG_OK, "count_passes", SG_NOT_MEASURED,
         3},
        {"no memory while counted", SG_OOM, SG_OK, "count_passes", SG_NOT_MEASURED, 3},
        {"refused while counted, and not before", SG_UNSUPPORTED, SG_OK, "count_passes",
         SG_NOT_MEASURED, 3},
        {"of one that is wrong anyhow that is said", SG_CRASH, SG_WRONG, "status", SG_BROKEN, 5},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        const struct sg_value counted = hand_words("v", "count_passes", SG_OK, "");
        night_add(&night, hand_words("v", "status", rows[i].status, ""));
        night_add(&night, hand_words("v", "count_passes", rows[i].counted,
                                     "while counted: no message for 3 s"));
        hand_accept(&night.baseline, &counted)->gate = false;
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", rows[i].metric);
        expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        if (strcmp(rows[i].metric, "count_passes") == 0)
            assert_non_null(strstr(finding->why, ": while counted: no message for 3 s"));
        else
            assert_null(finding_of(&night, "v", "count_passes"));
    }
}

TEST(waivers)
{
    static const struct {
        const char *sentence;
        enum sg_status is, waived;
        double ratio;      /* of a right one */
        const char *until; /* the run is of 2026-11-20 */
        const char *metric;
        enum sg_verdict verdict;
        int exit_code;
    } rows[] = {
        {"what was waived is not green, and does not fail", SG_UNWRITTEN, SG_UNWRITTEN, 1,
         "2026-12-31", "status", SG_WAIVED, 0},
        {"up to its last day", SG_UNWRITTEN, SG_UNWRITTEN, 1, "2026-11-20", "status", SG_WAIVED, 0},
        {"and not on the next one", SG_UNWRITTEN, SG_UNWRITTEN, 1, "2026-11-19", "status",
         SG_BROKEN, 5},
        {"nor without a last day", SG_UNWRITTEN, SG_UNWRITTEN, 1, "", "status", SG_BROKEN, 5},
        {"broken in another way than waived is broken", SG_CRASH, SG_UNWRITTEN, 1, "2026-12-31",
         "status", SG_BROKEN, 5},
        {"not timed is not what was waived", SG_SKIPPED, SG_UNWRITTEN, 1, "2026-12-31", "status",
         SG_NOT_MEASURED, 3},
        {"fixed and slower is regressed", SG_OK, SG_UNWRITTEN, 1.2, "2026-12-31", "time_ratio",
         SG_REGRESSED, 1},
        {"fixed is green", SG_OK, SG_UNWRITTEN, 1, "2026-12-31", "time_ratio", SG_WITHIN, 0},
        {"what is right may be waived for its time", SG_OK, SG_OK, 1.2, "2026-12-31", "time_ratio",
         SG_WAIVED, 0},
        {"which does not excuse a wrong result", SG_WRONG, SG_OK, 1.2, "2026-12-31", "status",
         SG_BROKEN, 5},
        {"skipped may be waived", SG_SKIPPED, SG_SKIPPED, 1, "2026-12-31", "status", SG_WAIVED, 0},
        {"and is not what was waived once it is wrong", SG_WRONG, SG_SKIPPED, 1, "2026-12-31",
         "status", SG_BROKEN, 5},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add_as_accepted(&night, "another");
        const struct sg_value waiver =
                                  hand_words("v", SG_WAIVER_METRIC, rows[i].waived, rows[i].until),
                              was = hand_ratio("v", 1, QUIET);
        struct sg_accepted *accepted = hand_accept(&night.baseline, &waiver);
        accepted->gate = false;
        accepted->reason = sg_table_intern(&night.baseline.table, "ticket 12");
        hand_accept(&night.baseline, &was);
        night_add(&night, hand_words("v", "status", rows[i].is, "no element was written"));
        if (rows[i].is == SG_OK)
            night_add(&night, hand_ratio("v", rows[i].ratio, QUIET));
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", rows[i].metric);
        expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        assert_int_equal(night.comparison.by_verdict[SG_WAIVED], rows[i].verdict == SG_WAIVED);
        if (rows[i].verdict == SG_WAIVED &&
            (!strstr(finding->why, "ticket 12") || !strstr(finding->why, rows[i].until)))
            fail_msg("%s: says '%s'", rows[i].sentence, finding->why);
    }
}

/* A run that does not say of which day it is may be of any. */
TEST(a_waiver_with_a_last_day_needs_the_day_of_the_run)
{
    NIGHT(night);
    sg_env_unset(&night.env, "date");
    night_add_as_accepted(&night, "another");
    const struct sg_value waiver = hand_words("v", SG_WAIVER_METRIC, SG_WRONG, "2099-01-01");
    hand_accept(&night.baseline, &waiver)->gate = false;
    night_add(&night, hand_words("v", "status", SG_WRONG, ""));
    night_compare(&night);
    expect_exit("a run without a date", &night, 5);
}

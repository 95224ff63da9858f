/* compare/compare.h: values that must not be believed, conditions that invalidate a
 * run, and the exit code that follows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "night.h"
#include "results/env.h"
#include "stats/decision.h"

TEST(unbelievable)
{
    struct sg_value few = hand_ratio("v", 1.0, 0.001);
    few.n = 4;
    struct sg_value bare = hand_ratio("v", 1.0, 0.001);
    bare.has = SG_HAS_VALUE | SG_HAS_N;
    struct sg_value nan_value = hand_ratio("v", NAN, 0.001);
    struct sg_value none = hand_ratio("v", 1.0, 0.001);
    none.has = 0;
    struct sg_value above = hand_ratio("v", 1.0, 0.001), below = above;
    above.value = 1.1;
    below.value = 0.9;
    struct sg_value other = hand_ratio("v", 1.0, 0.001);
    other.message = "against another";
    const struct {
        const char *sentence;
        struct sg_value is, was;
    } rows[] = {
        {"fewer than five processes", few, hand_ratio("v", 1.0, 0.001)},
        {"no interval", bare, hand_ratio("v", 1.0, 0.001)},
        {"a value above its own interval", above, hand_ratio("v", 1.0, 0.001)},
        {"a value below its own interval", below, hand_ratio("v", 1.0, 0.001)},
        {"an accepted value above its own interval", hand_ratio("v", 1.0, 0.001), above},
        {"not a number", nan_value, hand_ratio("v", 1.0, 0.001)},
        {"no value", none, hand_ratio("v", 1.0, 0.001)},
        {"an accepted number from too few processes", hand_ratio("v", 1.0, 0.001), few},
        {"an accepted row without a value", hand_ratio("v", 1.0, 0.001), none},
        {"paired with another variant than when it was accepted", other,
         hand_ratio("v", 1.0, 0.001)},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct night night;
        night_begin(&night);
        night_add(&night, rows[i].is);
        hand_accept(&night.baseline, &rows[i].was);
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "v", "time_ratio"), SG_INVALID_VALUE);
        expect_exit(rows[i].sentence, &night, 3);
        night_end(&night);
    }
}

/* Whichever of the two it is, both ways of looking at the pair are invalid: beside what was
 * accepted and beside the baseline. */
TEST(what_cannot_be_is_invalid_and_never_a_win)
{
    static char reason[] = "38.20 us for work that takes 61.00 us at 1.755 GHz";
    static const struct {
        const char *sentence, *variant, *why;
        enum sg_verdict of_base; /* its clock is not known */
    } rows[] = {
        {"a candidate", "v", reason, SG_INCONCLUSIVE},
        {"what a candidate is paired with", "base",
         "its baseline base cannot be: 38.20 us for work that takes 61.00 us at 1.755 GHz",
         SG_INVALID_VALUE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_refusal refusal = {.family = "f",
                                     .case_ = "c",
                                     .variant = rows[i].variant,
                                     .finding = SG_TOO_FAST,
                                     .why = reason};
        struct night night;
        night_begin(&night);
        night.refusals = (struct sg_refusals){.items = &refusal, .count = 1};
        const struct sg_value base = hand_time("base", 8000, 0.0002),
                              was = hand_ratio("v", 1.0, 0.0002);
        night_add(&night, hand_words("base", "role", SG_OK, "baseline"));
        night_add(&night, base);
        night_add(&night, hand_time("v", 4000, 0.0002));
        night_add(&night, hand_ratio("v", 0.5, 0.0002));
        hand_accept(&night.baseline, &base);
        hand_accept(&night.baseline, &was);
        night_compare(&night);
        const struct sg_finding *ratio = finding_of(&night, "v", "time_ratio");
        expect_verdict(rows[i].sentence, ratio, SG_INVALID_VALUE);
        assert_int_equal(ratio->baseline, SG_INVALID_VALUE);
        assert_string_equal(ratio->why, rows[i].why);
        expect_verdict(rows[i].sentence, finding_of(&night, "base", "time"), rows[i].of_base);
        expect_exit(rows[i].sentence, &night, 3);
        assert_int_equal(night.comparison.by_verdict[SG_IMPROVED], 0);
        night_end(&night);
    }
}

TEST(conditions_of_the_run_invalidate_times)
{
    static const struct {
        const char *sentence, *key, *why;
    } rows[] = {
        {"beside a neighbour", "neighbours", "MPS is on"},
        {"with a process that could not be kept", "unfit",
         "1 process cannot be kept (process 3: hw_thermal)"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct night night;
        night_begin(&night);
        sg_env_set(&night.env, rows[i].key, rows[i].why);
        night_add(&night, hand_words("base", "role", SG_OK, "baseline"));
        const struct sg_value time = hand_time("base", 8000, 0.001),
                              ratio = hand_ratio("v", 1.0, 0.001);
        night_add(&night, time);
        night_add(&night, ratio);
        hand_accept(&night.baseline, &time);
        hand_accept(&night.baseline, &ratio);
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "base", "time"), SG_INVALID_VALUE);
        expect_verdict(rows[i].sentence, finding_of(&night, "v", "time_ratio"), SG_INVALID_VALUE);
        assert_string_equal(finding_of(&night, "v", "time_ratio")->why, rows[i].why);
        expect_exit(rows[i].sentence, &night, 3);
        night_end(&night);
    }
}

TEST(a_baseline_that_differs_from_itself_invalidates)
{
    struct night night;
    night_begin(&night);
    night_add(&night, hand_words("base", "role", SG_OK, "baseline"));
    night_add(&night, hand_ratio("base", 1.03, 0.0002));
    night_compare(&night);
    expect_verdict("uneven calibration", finding_of(&night, "base", "time_ratio"),
                   SG_INVALID_VALUE);
    expect_exit("uneven calibration", &night, 3);
    night_end(&night);
}

/* Each verdict that fails a gate, with all that come behind it. */
TEST(exit_codes_by_rank)
{
    static const struct {
        const char *sentence;
        enum sg_verdict worst;
        bool inconclusive_fails;
        int exit_code;
    } rows[] = {
        {"broken comes before all", SG_BROKEN, true, 5},
        {"failing elsewhere comes before regressed", SG_FAILS_OTHERWISE, true, 5},
        {"regressed comes before invalid", SG_REGRESSED, true, 1},
        {"invalid comes before other terms", SG_INVALID_VALUE, true, 3},
        {"other terms come before not measured", SG_OTHER_TERMS, true, 3},
        {"not measured comes before not accepted", SG_NOT_MEASURED, true, 3},
        {"not accepted comes before cannot be gated", SG_NOT_ACCEPTED, true, 3},
        {"cannot be gated comes before inconclusive", SG_NOT_GATED, true, 3},
        {"inconclusive fails if told so", SG_INCONCLUSIVE, true, 2},
        {"inconclusive passes if told so", SG_INCONCLUSIVE, false, 0},
        {"what comes before it does not", SG_NOT_GATED, false, 3},
        {"all others are 0", SG_VERDICT_COUNT, true, 0},
    };
    static const enum sg_verdict worst_first[] = {
        SG_BROKEN,       SG_FAILS_OTHERWISE, SG_REGRESSED, SG_INVALID_VALUE, SG_OTHER_TERMS,
        SG_NOT_MEASURED, SG_NOT_ACCEPTED,    SG_NOT_GATED, SG_INCONCLUSIVE};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_comparison comparison = {.judged = 1};
        bool reached = false;
        for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
            comparison.by_verdict[verdict] =
                verdict != SG_UNRESOLVED && !(sg_verdict_row(verdict)->history & SG_NIGHTS);
        for (size_t k = 0; k < COUNT(worst_first); k++) {
            reached |= worst_first[k] == rows[i].worst;
            comparison.by_verdict[worst_first[k]] = reached;
        }
        const struct sg_compare_options options = {.inconclusive_fails =
                                                       rows[i].inconclusive_fails};
        if (sg_comparison_exit_code(&comparison, &options) != rows[i].exit_code)
            fail_msg("%s: it is %d", rows[i].sentence,
                     sg_comparison_exit_code(&comparison, &options));
    }
}

TEST(what_was_not_judged_is_no_success)
{
    static const struct {
        const char *sentence;
        size_t judged;
        bool of_pairs;
        enum sg_verdict verdicts[3]; /* of times; those after SG_VERDICT_COUNT are not there */
        int exit_code;
    } rows[] = {
        {"nothing was judged", 0, false, {SG_VERDICT_COUNT}, 3},
        {"an item was", 1, false, {SG_VERDICT_COUNT}, 0},
        {"the two sides of an ab have nothing accepted", 0, true, {SG_VERDICT_COUNT}, 0},
        {"its only time was not decided", 1, false, {SG_UNRESOLVED, SG_VERDICT_COUNT}, 3},
        {"nor was that of an ab", 0, true, {SG_UNRESOLVED, SG_VERDICT_COUNT}, 3},
        {"one of two was", 2, false, {SG_UNRESOLVED, SG_WITHIN, SG_VERDICT_COUNT}, 0},
        {"an inconclusive time that may pass is not decided",
         2,
         false,
         {SG_INCONCLUSIVE, SG_UNRESOLVED, SG_VERDICT_COUNT},
         3},
        {"nor is one that is waived", 2, false, {SG_UNRESOLVED, SG_WAIVED, SG_VERDICT_COUNT}, 3},
        {"inconclusive times may pass", 1, false, {SG_INCONCLUSIVE, SG_VERDICT_COUNT}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_comparison comparison = {.judged = rows[i].judged, .of_pairs = rows[i].of_pairs};
        for (size_t k = 0; rows[i].verdicts[k] != SG_VERDICT_COUNT; k++) {
            const struct sg_finding finding = {
                .metric = "time", .accepted = rows[i].verdicts[k], .gates = true, .se = 0.001};
            sg_finding_add(&comparison, &finding);
            comparison.by_verdict[finding.accepted]++;
        }
        const int exit_code = sg_comparison_exit_code(&comparison, &(struct sg_compare_options){0});
        if (exit_code != rows[i].exit_code)
            fail_msg("%s: it is %d", rows[i].sentence, exit_code);
        sg_comparison_release(&comparison);
    }
}

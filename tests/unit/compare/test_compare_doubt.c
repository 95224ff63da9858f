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
    other.message = "another";
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
        NIGHT(night);
        night_add(&night, rows[i].is);
        hand_accept(&night.baseline, &rows[i].was);
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "v", "time_ratio"), SG_INVALID_VALUE);
        expect_exit(rows[i].sentence, &night, 3);
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
         "its baseline base is impossible: 38.20 us for work that takes 61.00 us at 1.755 GHz",
         SG_INVALID_VALUE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_refusal refusal = {.family = "f",
                                     .case_ = "c",
                                     .variant = rows[i].variant,
                                     .finding = SG_TOO_FAST,
                                     .why = reason};
        NIGHT(night);
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
        NIGHT(night);
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
    }
}

TEST(a_baseline_that_differs_from_itself_invalidates)
{
    NIGHT(night);
    night_add(&night, hand_words("base", "role", SG_OK, "baseline"));
    night_add(&night, hand_ratio("base", 1.03, 0.0002));
    night_compare(&night);
    expect_verdict("uneven calibration", finding_of(&night, "base", "time_ratio"),
                   SG_INVALID_VALUE);
    expect_exit("uneven calibration", &night, 3);
}

/* Each verdict that fails a gate, with all that come behind it. */
static int exit_of(const bool *has, bool inconclusive_fails)
{
    struct sg_comparison comparison = {.judged = 1};
    const struct sg_compare_options options = {.inconclusive_fails = inconclusive_fails};
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        comparison.by_verdict[verdict] = has[verdict];
    return sg_comparison_exit_code(&comparison, &options);
}

/* The worst first. */
static unsigned rank_of(enum sg_verdict verdict)
{
    static const enum sg_exit rank[] = {SG_EXIT_UNDECLARED, SG_EXIT_REGRESSED, SG_EXIT_INVALID,
                                        SG_EXIT_INCONCLUSIVE, SG_EXIT_DONE};
    for (unsigned i = 0; i < COUNT(rank); i++)
        if (rank[i] == sg_verdict_exit(verdict))
            return i;
    fail_msg("%s: its exit code has no rank", sg_verdict_word(verdict));
    return 0;
}

TEST(the_worst_verdict_is_the_exit_code)
{
    for (enum sg_verdict worst = 0; worst < SG_VERDICT_COUNT; worst++) {
        bool has[SG_VERDICT_COUNT];
        for (enum sg_verdict other = 0; other < SG_VERDICT_COUNT; other++)
            has[other] =
                other == worst || (rank_of(other) > rank_of(worst) && other != SG_UNRESOLVED &&
                                   !(sg_verdict_row(other)->bits & SG_NIGHTS));
        if (worst == SG_UNRESOLVED || sg_verdict_row(worst)->bits & SG_NIGHTS)
            continue;
        if (exit_of(has, true) != (int)sg_verdict_exit(worst))
            fail_msg("%s: it is %d", sg_verdict_word(worst), exit_of(has, true));
        const bool passes = sg_verdict_exit(worst) == SG_EXIT_INCONCLUSIVE;
        if (exit_of(has, false) != (passes ? 0 : (int)sg_verdict_exit(worst)))
            fail_msg("%s, inconclusive passes: it is %d", sg_verdict_word(worst),
                     exit_of(has, false));
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
    }
}

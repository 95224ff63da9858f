/* compare/compare.h: a variant against its accepted build, paired in the run. The pair decides,
 * the accepted numbers are a witness. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "night.h"
#include "results/env.h"
#include "results/identity.h"
#include "results/row_kind.h"

#define QUIET 0.0002
#define NOISY 0.002

#define PROCESSES 12

static struct sg_value build_ratio(const char *variant, double ratio, double se)
{
    struct sg_value row =
        hand_interval(variant, "", ratio, se, sg_look_constant(SG_ALPHA_05, PROCESSES));
    row.unit = "1";
    row.n = PROCESSES;
    row.sd = se * sqrt(PROCESSES);
    row.metric = SG_BUILD_RATIO_METRIC;
    row.message = "against the accepted build 0123456789abcdef";
    return row;
}

static void begin_paired(struct night *night)
{
    const struct sg_value was = hand_ratio("v", 1, QUIET);
    night_begin(night);
    sg_env_set(&night->env, SG_PAIRS_KEY, "0123456789abcdef");
    hand_accept(&night->baseline, &was);
}

/* What is accepted is 1, at QUIET. */
TEST(the_pair_decides)
{
    static const struct {
        const char *sentence;
        double build, build_se, ratio;
        enum sg_verdict verdict;
        int exit_code;
        const char *why;
    } rows[] = {
        {"as fast as the accepted build", 1, QUIET, 1, SG_WITHIN, 0,
         "within 0.5 % of the accepted build"},
        {"1 % slower", 1.01, QUIET, 1, SG_REGRESSED, 1, "1 % slower than the accepted build"},
        {"1 % faster", 0.99, QUIET, 1, SG_IMPROVED, 0, "accept the run"},
        {"slower by both", 1.05, QUIET, 1.05, SG_REGRESSED, 1,
         "5 % slower than the accepted build"},
        {"too noisy to say is listed with what may be hidden", 1.002, NOISY, 1, SG_UNRESOLVED, 3,
         "up to +0.769 %"},
        {"too noisy, and faster if anything", 0.99, 2 * NOISY, 1, SG_UNRESOLVED, 3,
         "may be hidden in the noise of 12 processes"},
        {"an estimate beyond the tolerance stays open", 1.008, NOISY / 2, 1, SG_INCONCLUSIVE, 2,
         "cannot resolve 0.5 %: +0.8 %, between"},
        {"but not one that may as well be 0", 1.008, 2 * NOISY, 1, SG_UNRESOLVED, 3,
         "may be hidden in the noise of 12 processes"},
        {"nor does what accepted numbers alone call slower", 1.002, NOISY, 1.05, SG_UNRESOLVED, 3,
         "12 processes; accepted numbers read +5 %"},
        {"which stands beside a suspect, too", 1.008, NOISY / 2, 1.05, SG_INCONCLUSIVE, 2,
         "%; accepted numbers read +5 %"},
        {"slower than accepted and not than the accepted build", 1, QUIET, 1.05, SG_WITHIN, 0,
         "the driver, the GPU or its clock changed"},
        {"faster than it, and yet slower than accepted", 0.98, QUIET, 1.05, SG_IMPROVED, 0,
         "faster than the accepted build, and slower"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct night night;
        begin_paired(&night);
        night_add(&night, build_ratio("v", rows[i].build, rows[i].build_se));
        night_add(&night, hand_ratio("v", rows[i].ratio, QUIET));
        night_compare(&night);
        const struct sg_finding *build = finding_of(&night, "v", SG_BUILD_RATIO_METRIC);
        expect_verdict(rows[i].sentence, build, rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        if (!strstr(build->why, rows[i].why))
            fail_msg("%s: '%s' does not have '%s'", rows[i].sentence, build->why, rows[i].why);
        assert_true(build->gates);
        assert_false(finding_of(&night, "v", "time_ratio")->gates);
        assert_true(finding_of(&night, "v", "time_ratio")->is_informational);
        assert_int_equal(night.comparison.paired, 1);
        night_end(&night);
    }
}

TEST(what_informs_gates_where_the_suite_asks)
{
    static const struct {
        const char *sentence, *role, *asked; /* NULL: the suite does not ask */
        double build, now;                   /* `now`: time of the baseline, ratio of others */
        int exit_code;
    } rows[] = {
        {"a vendor's row that got slower informs", "vendor", NULL, 1.05, 1, 0},
        {"by accepted numbers too", "vendor", NULL, 1.05, 1.05, 0},
        {"and gates where that is asked for", "vendor", "yes", 1.05, 1, 1},
        {"by its pair, not by accepted numbers", "vendor", "yes", 1, 1.05, 0},
        {"the baseline's build gates as any other", "baseline", NULL, 1.05, 1, 1},
        {"its absolute time informs", "baseline", NULL, 1, 1.5, 0},
        {"and gates where that is asked for", "baseline", "yes", 1, 1.5, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct night night;
        const bool is_baseline = strcmp(rows[i].role, "baseline") == 0;
        begin_paired(&night);
        if (rows[i].asked)
            sg_env_set(&night.env, "gate.f", rows[i].asked);
        night_add(&night, hand_words("u", "role", SG_OK, rows[i].role));
        night_add(&night, build_ratio("u", rows[i].build, QUIET));
        night_add(&night, is_baseline ? hand_time("u", 1000 * rows[i].now, QUIET)
                                      : hand_ratio("u", rows[i].now, QUIET));
        if (is_baseline) {
            const struct sg_value was = hand_time("u", 1000, QUIET);
            hand_accept(&night.baseline, &was)->sd_process = QUIET;
        }
        night_add_as_accepted(&night, "v");
        night_compare(&night);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        night_end(&night);
    }
}

/* Slower beyond the tolerance by a little more than the rule asks of one row. */
TEST(of_many_rows_one_looks_slower_by_chance)
{
    const double ratio = 1.005 * exp(4.2 * QUIET);
    for (size_t others = 0; others <= 50; others += 50) {
        struct night night;
        char name[51][8];
        begin_paired(&night);
        night_add(&night, build_ratio("v", ratio, QUIET));
        for (size_t i = 0; i < others; i++) {
            snprintf(name[i], sizeof(name[i]), "w%zu", i);
            night_add(&night, build_ratio(name[i], 1, QUIET));
        }
        night_compare(&night);
        expect_verdict("one row", finding_of(&night, "v", SG_BUILD_RATIO_METRIC),
                       others == 0 ? SG_REGRESSED : SG_INCONCLUSIVE);
        expect_exit("one row", &night, others == 0 ? 1 : 2);
        assert_int_equal(night.comparison.paired, others + 1);
        if (others > 0)
            assert_non_null(strstr(finding_of(&night, "v", SG_BUILD_RATIO_METRIC)->why,
                                   "one of 51 rows looks like this by chance"));
        night_end(&night);
    }
}

/* What the item is made of, accepted and now; the pair reads 5 % slower, the number 3 %. */
TEST(identical_is_code_knobs_and_files)
{
    static const struct {
        const char *sentence, *then, *now; /* NULL: not known */
        enum sg_verdict verdict;           /* of the pair; SG_VERDICT_COUNT: it is none */
        int exit_code;
        bool both; /* the accepted number gates, too */
    } rows[] = {
        {"the same", "code 1; knobs t=1; files 2", "code 1; knobs t=1; files 2", SG_IDENTICAL, 0,
         false},
        {"without knobs and files", "code 1; knobs -; files -", "code 1; knobs -; files -",
         SG_IDENTICAL, 0, false},
        {"other code", "code 1; knobs -; files -", "code 2; knobs -; files -", SG_REGRESSED, 1,
         false},
        {"other knobs", "code 1; knobs t=1; files -", "code 1; knobs t=2; files -", SG_REGRESSED, 1,
         false},
        {"other files", "code 1; knobs -; files 1", "code 1; knobs -; files 2", SG_VERDICT_COUNT, 1,
         false},
        {"files that were not read before", "code 1; knobs -; files -", "code 1; knobs -; files 2",
         SG_VERDICT_COUNT, 1, false},
        {"files that nobody knows", "code 1; knobs -; files unknown: gone",
         "code 1; knobs -; files unknown: gone", SG_REGRESSED, 1, true},
        {"files that are not known any more", "code 1; knobs -; files 1",
         "code 2; knobs -; files unknown: gone", SG_REGRESSED, 1, true},
        {"a program's", "code -; knobs -; files unknown: " SG_OF_A_PROGRAM,
         "code -; knobs -; files unknown: " SG_OF_A_PROGRAM, SG_REGRESSED, 1, false},
        {"accepted before that was written down", NULL, "code 1; knobs -; files -", SG_REGRESSED, 1,
         false},
        {"a run that does not have it", "code 1; knobs -; files -", NULL, SG_REGRESSED, 1, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct night night;
        begin_paired(&night);
        const struct sg_value then = hand_words("v", SG_IDENTITY_METRIC, SG_OK, rows[i].then);
        if (rows[i].then)
            hand_accept(&night.baseline, &then);
        if (rows[i].now)
            night_add(&night, hand_words("v", SG_IDENTITY_METRIC, SG_OK, rows[i].now));
        night_add(&night, build_ratio("v", 1.05, QUIET));
        night_add(&night, hand_ratio("v", 1.03, QUIET));
        night_compare(&night);
        if (rows[i].verdict != SG_VERDICT_COUNT)
            expect_verdict(rows[i].sentence, finding_of(&night, "v", SG_BUILD_RATIO_METRIC),
                           rows[i].verdict);
        expect_verdict(rows[i].sentence, finding_of(&night, "v", "time_ratio"), SG_REGRESSED);
        assert_int_equal(finding_of(&night, "v", "time_ratio")->gates,
                         rows[i].verdict == SG_VERDICT_COUNT || rows[i].both);
        assert_int_equal(night.comparison.paired, rows[i].verdict != SG_VERDICT_COUNT);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        night_end(&night);
    }
}

/* A night verified the item, found it to be what was accepted, and did not time it. */
TEST(untimed_is_green_only_where_it_is_what_was_accepted)
{
    static const char was[] = "code 1111; knobs -; files 2222",
                      other[] = "code 3333; knobs -; files 2222";
    static const struct {
        const char *sentence, *is; /* NULL: not known */
        enum sg_status status;     /* of its row build_ratio */
        enum sg_verdict verdict;
        int exit_code;
    } rows[] = {
        {"the same code, knobs and files", was, SG_SKIPPED, SG_IDENTICAL, 0},
        {"other code than these numbers are of", other, SG_SKIPPED, SG_NOT_MEASURED, 3},
        {"not known", NULL, SG_SKIPPED, SG_NOT_MEASURED, 3},
        {"the same, and its build was not at hand", was, SG_UNAVAILABLE, SG_NOT_MEASURED, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct night night;
        const struct sg_value accepted[] = {hand_words("v", SG_IDENTITY_METRIC, SG_OK, was),
                                            hand_words("v", "status", SG_OK, ""),
                                            hand_words("v", "role", SG_OK, "candidate")};
        begin_paired(&night);
        night.as_written = true;
        for (size_t k = 0; k < COUNT(accepted); k++)
            hand_accept(&night.baseline, &accepted[k]);
        night_add(&night, accepted[1]);
        night_add(&night, accepted[2]);
        if (rows[i].is)
            night_add(&night, hand_words("v", SG_IDENTITY_METRIC, SG_OK, rows[i].is));
        night_add(&night, hand_words("v", SG_BUILD_RATIO_METRIC, rows[i].status, "not timed"));
        night_compare(&night);
        const bool is_untimed = rows[i].verdict == SG_IDENTICAL;
        expect_verdict(rows[i].sentence,
                       finding_of(&night, "v", is_untimed ? SG_BUILD_RATIO_METRIC : "time_ratio"),
                       rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        assert_int_equal(night.comparison.untimed, is_untimed);
        assert_int_equal(night.comparison.paired, 0);
        night_end(&night);
    }
}

TEST(without_its_build_a_row_is_judged_by_accepted_numbers)
{
    static const struct {
        const char *sentence;
        enum sg_status status;
        double ratio, se;
        enum sg_verdict verdict;
        int exit_code;
        const char *why;
    } rows[] = {
        {"as accepted", SG_UNAVAILABLE, 1, QUIET, SG_WITHIN, 0, "f/c/v: no store"},
        {"slower", SG_UNAVAILABLE, 1.05, QUIET, SG_REGRESSED, 1, "f/c/v: no store"},
        {"slower, beside an accepted build that is wrong", SG_WRONG, 1.05, QUIET, SG_REGRESSED, 1,
         "f/c/v: its accepted build is wrong: no store"},
        {"too noisy to say", SG_UNAVAILABLE, 1, NOISY, SG_UNRESOLVED, 3, "f/c/v: no store"},
        {"too noisy, and slower if anything", SG_UNAVAILABLE, 1.008, NOISY, SG_INCONCLUSIVE, 2,
         "f/c/v: no store"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct night night;
        begin_paired(&night);
        night_add(&night, hand_words("v", SG_BUILD_RATIO_METRIC, rows[i].status, "no store"));
        night_add(&night, hand_ratio("v", rows[i].ratio, rows[i].se));
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "v", "time_ratio"), rows[i].verdict);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
        assert_null(finding_of(&night, "v", SG_BUILD_RATIO_METRIC));
        assert_int_equal(night.comparison.unpaired, 1);
        assert_string_equal(night.comparison.unpaired_why, rows[i].why);
        night_end(&night);
    }
}

TEST(what_is_not_fit_is_invalid)
{
    struct night night;
    begin_paired(&night);
    sg_env_set(&night.env, "unfit", "the clock drifted");
    night_add(&night, build_ratio("v", 1, QUIET));
    night_compare(&night);
    expect_verdict("a run that is not fit", finding_of(&night, "v", SG_BUILD_RATIO_METRIC),
                   SG_INVALID_VALUE);
    expect_exit("a run that is not fit", &night, 3);
    night_end(&night);
}

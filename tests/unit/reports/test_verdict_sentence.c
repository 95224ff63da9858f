/* reports/tables/ranking.h: the verdict in a sentence: the decision, the exit code, counts that add
 * up to the rows. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "reports/tables/headline.h"
#include "results/env.h"

/* A comparison of items called a, b, ...: of each its verdict, by which
 * it is judged as the judge would. */
static struct sg_comparison comparison_of(const enum sg_verdict *verdicts, size_t count,
                                          const char *why)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    struct sg_comparison comparison = {.accepted_path = sg_copy_string("smoke.csv"), .judged = 1};
    for (size_t i = 0; i < count; i++) {
        const struct sg_finding finding = {.family = "f",
                                           .case_ = "c",
                                           .variant = names[i],
                                           .metric = "time_ratio",
                                           .unit = "1",
                                           .accepted = verdicts[i],
                                           .baseline = SG_VERDICT_COUNT,
                                           .change = 0.01 * (double)(i + 1),
                                           .high = 0.01 * (double)(i + 2),
                                           .gates = true,
                                           .why = why};
        sg_finding_add(&comparison, &finding);
        comparison.by_verdict[verdicts[i]]++;
    }
    return comparison;
}

static void expect_sentence(const char *proves, const struct sg_report_input *input,
                            const char *should)
{
    SG_SCOPED(sg_text) text = {0};
    sg_add_first_lines(&text, input);
    sg_text_add(&text, sg_integrity_warning(input));
    if (strcmp(sg_text_string(&text), should) != 0)
        fail_msg("%s: '%s', should be '%s'", proves, sg_text_string(&text), should);
}

TEST(a_sentence_begins_with_the_decision_and_the_worst_row)
{
    static const struct {
        const char *sentence;
        enum sg_verdict verdicts[6];
        size_t count;
        const char *why, *should;
    } rows[] = {
        ROW("what passes is counted, without what fails as declared",
            LIST(SG_WITHIN, SG_WITHIN, SG_XFAIL), 3, "fine",
            "PASS (exit 0): nothing regressed of 2 rows\n2 rows: 2 within"),
        ROW("what gives the exit code is named, with its reason, and what else fails is counted",
            LIST(SG_WITHIN, SG_BROKEN, SG_REGRESSED), 3, "expected ok, found nan; y[1]",
            "FAIL (exit 5): f/c/b broken against smoke.csv: expected ok, found nan, and 1 more "
            "regressed\n"
            "3 rows: 1 regressed, 1 broken, 1 within"),
        ROW("the largest change of several is named", LIST(SG_REGRESSED, SG_WITHIN, SG_REGRESSED),
            3, "slow",
            "FAIL (exit 1): f/c/c +3.0 % slower than smoke.csv, and 1 more regressed\n"
            "3 rows: 2 regressed, 1 within"),
        ROW("what is not decided is said beside PASS", LIST(SG_UNRESOLVED, SG_WITHIN, SG_NEW), 3,
            "noise",
            "PASS (exit 0): nothing regressed of 1 decided row; 1 unresolved (may hide up to +2 "
            "%), 1 new\n3 rows: 1 unresolved, 1 new, 1 within"),
        ROW("what was not measured leaves it open", LIST(SG_WITHIN, SG_NOT_MEASURED), 2, "skipped",
            "OPEN (exit 3): f/c/b not_measured: skipped\n2 rows: 1 not_measured, 1 within"),
        ROW("what cannot be gated", LIST(SG_NOT_GATED), 1, "12 %",
            "OPEN (exit 3): f/c/a cannot_be_gated: 12 %\n1 row: 1 cannot_be_gated"),
        ROW("an inconclusive row that may pass is not decided", LIST(SG_INCONCLUSIVE), 1, "noise",
            "PASS (exit 0): no row was decided, which --inconclusive=pass allows; 1 "
            "inconclusive\n1 row: 1 inconclusive"),
        ROW("what is waived", LIST(SG_WAIVED, SG_WITHIN), 2, "ticket 12",
            "PASS (exit 0): nothing regressed of 1 decided row; 1 waived\n"
            "2 rows: 1 waived, 1 within"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_comparison comparison =
            comparison_of(rows[i].verdicts, rows[i].count, rows[i].why);
        char should[400];
        snprintf(should, sizeof(should), "%s, against smoke.csv\n", rows[i].should);
        expect_sentence(rows[i].sentence, &(struct sg_report_input){.comparison = &comparison},
                        should);
    }
}

/* Of several suites the line is that of the worst, and the counts are of all. */
TEST(headlines_of_several_suites_are_one)
{
    struct sg_headline all = {0};
    SG_SCOPED(sg_text) line = {0};
    for (size_t i = 0; i < 3; i++) {
        static const enum sg_verdict verdicts[][2] = {
            {SG_WITHIN, SG_REGRESSED}, {SG_WITHIN, SG_INCONCLUSIVE}, {SG_REGRESSED, SG_XFAIL}};
        struct sg_comparison comparison = comparison_of(verdicts[i], 2, "slow");
        struct sg_headline one = {0};
        sg_headline_of(&(struct sg_report_input){.comparison = &comparison,
                                                 .options = {.inconclusive_fails = true}},
                       &one);
        sg_headline_merge(&all, &one);
    }
    sg_headline_fail(&all, SG_EXIT_INVALID, "smoke: not started");
    sg_headline_add(&line, &all);
    assert_string_equal(line.data, "FAIL (exit 1): f/c/b +2.0 % slower than smoke.csv, and 1 more "
                                   "regressed, 1 more inconclusive");
    sg_headline_fail(&all, SG_EXIT_UNDECLARED, "a worker died");
    line.length = 0;
    sg_headline_add(&line, &all);
    assert_string_equal(line.data, "FAIL (exit 5): a worker died; 2 regressed, 1 inconclusive");
    struct sg_headline night = {.exit_code = SG_EXIT_INCONCLUSIVE, .verdict = SG_SLOWER},
                       other = {.exit_code = SG_EXIT_INCONCLUSIVE, .verdict = SG_OFF, .size = 1};
    sg_text_add(&other.item, "off");
    sg_headline_merge(&night, &other);
    assert_int_equal(night.verdict, SG_SLOWER);
}

#define PASSED "PASS (exit 0): nothing regressed of 1 row\n1 row: 1 within, against smoke.csv"

TEST(a_verdict_of_nothing_says_so)
{
    static const struct {
        const char *sentence;
        enum sg_verdict verdict; /* SG_VERDICT_COUNT: no finding */
        size_t judged;
        bool of_pairs;
        const char *should;
    } rows[] = {
        {"nothing at all", SG_VERDICT_COUNT, 0, false,
         "OPEN (exit 3): nothing was judged\n0 rows, against smoke.csv\n"},
        {"nothing but what is new", SG_NEW, 0, false,
         "OPEN (exit 3): nothing was judged; 1 new\n1 row: 1 new, against smoke.csv\n"},
        {"nothing but what fails as declared", SG_XFAIL, 0, false,
         "OPEN (exit 3): nothing was judged\n0 rows, against smoke.csv\n"},
        {"something", SG_XFAIL, 1, false,
         "PASS (exit 0): nothing regressed: every row fails or refuses as declared\n0 rows, "
         "against smoke.csv\n"},
        {"the two sides of an ab", SG_WITHIN, 0, true, PASSED "\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_comparison comparison =
            comparison_of(&rows[i].verdict, rows[i].verdict != SG_VERDICT_COUNT, "x");
        comparison.judged = rows[i].judged;
        comparison.of_pairs = rows[i].of_pairs;
        expect_sentence(rows[i].sentence, &(struct sg_report_input){.comparison = &comparison},
                        rows[i].should);
    }
}

TEST(what_vouches_for_a_verdict)
{
    static const struct {
        const char *sentence, *digest, *accepted_runs, *suite, *should;
    } rows[] = {
        {"accepted numbers have a date", "0123456789abcdef", "5", "smoke",
         PASSED " (accepted 2026-11-20)\n"},
        {"a run was accepted by nobody", "0123456789abcdef", NULL, "smoke",
         PASSED " (run of 2026-11-20)\n"},
        {"those of another suite are told as such", "0123456789abcdef", "5", "other",
         PASSED " (accepted 2026-11-20); that is of the suite other, this run of smoke\n"},
        {"so is a run without a digest", NULL, "5", "smoke",
         PASSED " (accepted 2026-11-20)\nthe run has no digest, so changes of its files cannot be "
                "detected"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const enum sg_verdict within = SG_WITHIN;
        struct sg_comparison comparison = comparison_of(&within, 1, "x");
        struct sg_accepted_file baseline = {0};
        SG_SCOPED(sg_env) env = {0};
        sg_env_set(&env, "suite", "smoke");
        if (rows[i].digest)
            sg_env_set(&env, SG_DIGEST_KEY, rows[i].digest);
        sg_env_set(&baseline.env, "date", "2026-11-20T02:00:00Z");
        sg_env_set(&baseline.env, "suite", rows[i].suite);
        if (rows[i].accepted_runs)
            sg_env_set(&baseline.env, SG_ACCEPTED_RUNS_KEY, rows[i].accepted_runs);
        expect_sentence(
            rows[i].sentence,
            &(struct sg_report_input){
                .path = "R", .comparison = &comparison, .accepted = &baseline, .env = &env},
            rows[i].should);
    }
}

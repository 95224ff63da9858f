/*
 * What the formats say, and that no name or message from outside can leave the place it was put.
 * Comparisons are built by hand: these are tests of the words, not of the verdicts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reports/report.h"
#include "reports/tables/ranking.h"
#include "results/env.h"
#include "util/escape.h"

#define HOSTILE "<script>|`x`\x1b[31m\"'&\xff_*\n@all"

TEST(escapes)
{
    static const struct {
        const char *sentence;
        void (*add)(struct sg_text *out, const char *text);
        const char *text, *should;
    } rows[] = {
        {"a terminal sees an escape character written out", sg_add_terminal, "a\x1b[31mb",
         "a\\x1b[31mb"},
        {"a terminal sees a broken byte written out", sg_add_terminal, "a\xff", "a\\xff"},
        {"a terminal sees a line end written out", sg_add_terminal, "a\nb", "a\\x0ab"},
        {"a terminal never sees CSI as one character", sg_add_terminal, "\xc2\x9b", "\\xc2\\x9b"},
        {"a terminal sees other letters as they are", sg_add_terminal, "\xc3\xa4 \xe2\x82\xac",
         "\xc3\xa4 \xe2\x82\xac"},
        {"an overlong form is broken", sg_add_terminal, "\xc0\xaf", "\\xc0\\xaf"},
        {"half of a surrogate pair is broken", sg_add_terminal, "\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"a sequence that ends too early is broken", sg_add_terminal, "\xe2\x82", "\\xe2\\x82"},
        {"markup begins no element", sg_add_markup, "<script>", "&lt;script&gt;"},
        {"markup ends no attribute", sg_add_markup, "\"'&", "&quot;&#39;&amp;"},
        {"markup has no control characters", sg_add_markup,
         "a\x01"
         "b\x7f",
         "a\xef\xbf\xbd"
         "b\xef\xbf\xbd"},
        {"markup has no broken bytes", sg_add_markup, "\xff", "\xef\xbf\xbd"},
        {"a line end in markup is a blank", sg_add_markup, "a\nb", "a b"},
        {"markdown ends no cell", sg_add_markdown, "a|b", "a\\|b"},
        {"markdown begins no code", sg_add_markdown, "`", "\\`"},
        {"markdown begins no element", sg_add_markdown, "<b>", "&lt;b&gt;"},
        {"markdown links nowhere", sg_add_markdown, "![x](y)", "\\!\\[x\\](y)"},
        {"markdown calls nobody", sg_add_markdown, "@all", "&#64;all"},
        {"markdown keeps a name readable", sg_add_markdown, "warp_per_row", "warp_per_row"},
        {"markdown begins no emphasis", sg_add_markdown, "_a_", "\\_a\\_"},
        {"markdown does not escape its way out", sg_add_markdown, "\\|", "\\\\\\|"},
        {"a plot gets no tab, no quote, no backquote, no backslash", sg_add_plot, "a\tb\"c`d\\e",
         "a b'c'd/e"},
        {"a plot ends no CDATA section", sg_add_plot, "]]> ]]]>", "] ]> ]] ]>"},
        {"a plot keeps other brackets", sg_add_plot, "a[0]] > ]>", "a[0]] > ]>"},
        {"a cell is a line", sg_add_cell, "a\nb\tc\rd", "a b c d"},
        {"a cell shows what a terminal would obey", sg_add_cell, "\x1b[2J\xff", "\\x1b[2J\\xff"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) text = {0};
        rows[i].add(&text, rows[i].text);
        if (strcmp(sg_text_string(&text), rows[i].should) != 0)
            fail_msg("%s: '%s', should be '%s'", rows[i].sentence, sg_text_string(&text),
                     rows[i].should);
    }
}

static struct sg_finding finding_of(const char *variant, enum sg_verdict verdict, double change)
{
    struct sg_finding finding = {
        .family = "matvec",
        .case_ = "r4096",
        .variant = variant,
        .metric = "time_ratio",
        .unit = "1",
        .was = 1,
        .is = 1 + change,
        .change = change,
        .low = change - 0.002,
        .high = change + 0.002,
        .tolerance = 0.005,
        .resolution = 0.009,
        .accepted = verdict,
        .baseline = SG_WITHIN,
        .baseline_change = 0.001,
        .baseline_low = 0,
        .baseline_high = 0.002,
        .gates = true,
    };
    return finding;
}

/* A comparison of given findings, counted as the judge counts. */
static struct sg_comparison comparison_of(const struct sg_finding *findings, size_t count)
{
    struct sg_comparison comparison = {.accepted_path = sg_copy_string("baselines/h200/smoke.csv"),
                                       .judged = count};
    for (size_t i = 0; i < count; i++) {
        sg_finding_add(&comparison, &findings[i]);
        comparison.by_verdict[findings[i].accepted] += findings[i].gates;
    }
    return comparison;
}

static char *formatted(const char *format, const struct sg_report_input *input)
{
    struct sg_text text = {0};
    sg_format_comparison(sg_format_find(format), input, &text);
    return text.data;
}

/* All verdicts of a comparison, and one row that never gates. */
TEST(every_verdict)
{
    struct sg_finding findings[SG_VERDICT_COUNT + 1];
    char names[SG_VERDICT_COUNT][32];
    size_t rows_of_verdicts = 0;
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++) {
        if (sg_verdict_row(verdict)->bits & SG_NIGHTS)
            continue;
        snprintf(names[rows_of_verdicts], sizeof(names[0]), "v_%s", sg_verdict_word(verdict));
        findings[rows_of_verdicts] = finding_of(names[rows_of_verdicts], verdict, 0.081);
        rows_of_verdicts++;
    }
    findings[rows_of_verdicts] = finding_of("aside", SG_REGRESSED, 0.5);
    findings[rows_of_verdicts].metric = "time";
    findings[rows_of_verdicts].gates = false;
    findings[SG_REGRESSED].resolution = 0.0124;
    struct sg_comparison comparison = comparison_of(findings, rows_of_verdicts + 1);
    struct sg_accepted_file baseline = {0};
    sg_env_set(&baseline.env, "date", "2026-11-20T02:00:00Z");
    sg_env_set(&baseline.env, "accepted_runs", "3");
    const struct sg_report_input input = {
        .comparison = &comparison, .accepted = &baseline, .options = {.inconclusive_fails = true}};

    static const struct {
        const char *sentence, *format, *words;
        bool there;
    } rows[] = {
        {"text begins with the verdict", "text", " rows: 1 regressed, 1 broken, ", true},
        {"text says what it was compared with", "text",
         "against baselines/h200/smoke.csv (accepted", true},
        {"text shows the change with its interval", "text", "+8.1 % [+7.9, +8.3]", true},
        {"text says what could be resolved", "text", "0.90 %", true},
        {"text counts green rows where something fails", "text",
         "not shown (see --verbose): 4 rows and counters that are as they should be", true},
        {"text lists no times that another row judges, it counts them", "text", "time of", true},
        {"text counts what is unresolved, with what may be hidden", "text",
         "1 unresolved (may hide", true},
        {"text says how small a change could be found", "text",
         "median 0.90 %, worst 1.2 % (matvec/r4096/v_regressed)", true},
        {"text has no colour unless asked", "text", "\x1b", false},
        {"csv has the row that never gates", "csv", "matvec,r4096,aside,time,", true},
        {"csv says what gates", "csv", ",yes,", true},
        {"markdown folds what is green", "markdown",
         "<details><summary>4 rows and counters as they should be", true},
        {"markdown begins with the verdict in bold", "markdown", "**FAIL (exit 5): ", true},
        {"junit counts", "junit", " failures=\"1\" ", true},
        {"junit: slow is a failure", "junit",
         "<failure message=\"regressed +8.1 % [+7.9, +8.3]\" type=\"regressed\">", true},
        {"junit: broken is an error", "junit", "<error message=\"broken ", true},
        {"junit: what cannot be told is an error, as its exit code is", "junit",
         "<error message=\"inconclusive ", true},
        {"junit leaves out what never gates", "junit", "aside", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = formatted(rows[i].format, &input);
        if ((strstr(text, rows[i].words) != NULL) != rows[i].there)
            fail_msg("%s: '%s' in\n%s", rows[i].sentence, rows[i].words, text);
        free(text);
    }
    for (size_t row = 0; row < rows_of_verdicts; row++) {
        size_t count = 0;
        const struct sg_format *const *formats = sg_formats(&count);
        for (size_t i = 0; i < count; i++) {
            char *text = formatted(formats[i]->name, &input);
            const enum sg_class class_ = sg_class_of(&findings[row]);
            bool counted =
                strcmp(formats[i]->name, "text") == 0 && (class_ == SG_GREEN || class_ == SG_OPEN);
            if ((strstr(text, names[row]) != NULL) == counted)
                fail_msg("%s %s the %s row", formats[i]->name, counted ? "shows" : "loses",
                         names[row]);
            free(text);
        }
    }
    sg_env_release(&baseline.env);
}

/* Each verdict alone, gating or not, beside a row that is fine and beside none. */
TEST(junit_agrees_with_the_exit_code)
{
    static const char none[] = "failures=\"0\" errors=\"0\"";
    for (unsigned i = 0; i < SG_VERDICT_COUNT * 8u; i++) {
        const bool gates = i & 1, fails = i & 2;
        struct sg_finding findings[] = {finding_of("v", (enum sg_verdict)(i / 8), 0.081),
                                        finding_of("fine", SG_WITHIN, 0)};
        findings[0].gates = gates;
        struct sg_comparison comparison = comparison_of(findings, i & 4 ? 2 : 1);
        const struct sg_report_input input = {.comparison = &comparison,
                                              .options = {.inconclusive_fails = fails}};
        char *text = formatted("junit", &input);
        const bool is_red = strstr(text, "<failure ") || strstr(text, "<error ");
        const int exit_code = sg_comparison_exit_code(&comparison, &input.options);
        if (is_red != (exit_code != 0) ||
            is_red != (strncmp(strstr(text, "failures="), none, strlen(none)) != 0))
            fail_msg("%s%s: exit %d, but\n%s", gates ? "gating " : "",
                     sg_verdict_word(findings[0].accepted), exit_code, text);
        free(text);
    }
}

TEST(order)
{
    struct sg_finding findings[] = {
        finding_of("a_within", SG_WITHIN, 0),        finding_of("b_small", SG_REGRESSED, 0.01),
        finding_of("c_broken", SG_BROKEN, NAN),      finding_of("d_large", SG_REGRESSED, 0.3),
        finding_of("e_improved", SG_IMPROVED, -0.3),
    };
    static const char *const expected[] = {"d_large", "b_small", "c_broken", "e_improved"};
    struct sg_comparison comparison = comparison_of(findings, COUNT(findings));
    char *text = formatted("text", &(struct sg_report_input){.comparison = &comparison});
    const char *after = strstr(text, "\ncase ");
    for (size_t i = 0; i < COUNT(expected); i++) {
        const char *found = strstr(after, expected[i]);
        if (!found)
            fail_msg(
                "regressed first, the largest first, then broken, news: %s is out of order in\n%s",
                expected[i], text);
        after = found;
    }
    free(text);
}

TEST(colours)
{
    static const struct {
        const char *sentence;
        enum sg_verdict verdict;
        const char *begins;
    } rows[] = {
        {"a regression is red", SG_REGRESSED, "\x1b[31m"},
        {"what cannot be told is yellow", SG_INCONCLUSIVE, "\x1b[33m"},
        {"an improvement is cyan", SG_IMPROVED, "\x1b[36m"},
        {"all is well in green", SG_WITHIN, "\x1b[32m"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_finding finding = finding_of("v", rows[i].verdict, 0.01);
        struct sg_comparison comparison = comparison_of(&finding, 1);
        char *text =
            formatted("text", &(struct sg_report_input){.comparison = &comparison, .colour = true});
        if (strncmp(text, rows[i].begins, strlen(rows[i].begins)) != 0)
            fail_msg("%s: '%.8s'", rows[i].sentence, text);
        free(text);
    }
}

/* Where nothing fails, text counts what is green; where all is asked for, times are in a table,
 * statuses in another with their reasons. */
TEST(a_quiet_night)
{
    struct sg_finding findings[] = {finding_of("fine", SG_WITHIN, 0),
                                    finding_of("zeros", SG_XFAIL, NAN)};
    findings[1].metric = "status";
    findings[1].why = "wrong, as accepted";
    struct sg_comparison comparison = comparison_of(findings, COUNT(findings));
    char *text = formatted("text", &(struct sg_report_input){.comparison = &comparison});
    assert_null(strstr(text, "fine     time_ratio"));
    assert_non_null(
        strstr(text, "not shown (see --verbose): 2 rows and counters that are as they should be"));
    free(text);
    text = formatted("text", &(struct sg_report_input){.comparison = &comparison, .verbose = true});
    assert_non_null(strstr(text, "\nmatvec/r4096  fine     time_ratio    1.000x  1.000x"));
    assert_non_null(strstr(text, "\nmatvec/r4096  zeros    xfail    wrong, as accepted\n"));
    assert_null(strstr(text, "not shown"));
    free(text);
}

/* One head, and the columns as wide as the widest cell of all. */
TEST(two_thousand_rows)
{
    enum { ROWS = 2000 };
    struct sg_comparison comparison = {.accepted_path = sg_copy_string("baselines/h200/smoke.csv")};
    for (size_t i = 0; i < ROWS; i++) {
        struct sg_finding finding =
            finding_of(i + 1 < ROWS ? "slow" : "slow_with_a_long_name", SG_REGRESSED, 0.1);
        finding.why = "why it is";
        sg_finding_add(&comparison, &finding);
        comparison.by_verdict[SG_REGRESSED]++;
    }
    char *text = formatted("text", &(struct sg_report_input){.comparison = &comparison});
    static const char first[] = "\nmatvec/r4096  slow                   time_ratio",
                      last[] = "\nmatvec/r4096  slow_with_a_long_name  time_ratio";
    size_t reasons = 0, titles = 0;
    for (const char *at = text; (at = strstr(at, "\n    why it is\n")); at++)
        reasons++;
    for (const char *at = text; (at = strstr(at, "\ncase ")); at++)
        titles++;
    assert_int_equal(reasons, ROWS);
    assert_int_equal(titles, 1);
    assert_non_null(strstr(text, first));
    assert_non_null(strstr(text, last));
    free(text);
}

/* The lines of Markdown that are not inside of a folded block. */
static size_t shown_lines(const char *text)
{
    size_t lines = 0, depth = 0;
    for (const char *at = text; *at; at++) {
        depth += strncmp(at, "<details>", strlen("<details>")) == 0;
        lines += *at == '\n' && depth == 0;
        if (strncmp(at, "</details>", strlen("</details>")) == 0) {
            assert_true(depth > 0);
            depth--;
        }
    }
    assert_int_equal(depth, 0);
    return lines;
}

/* Gates of up to 2,000 rows are comments: 60 lines, the worst rows first, and 65,536 bytes. */
TEST(a_comment_of_many_rows)
{
    static const struct {
        size_t regressed, broken, within, lines; /* lines: at least so many are used */
    } rows[] = {{2000, 0, 0, 50}, {0, 2000, 0, 50}, {700, 600, 700, 50}, {1, 0, 1999, 10},
                {0, 0, 2000, 3},  {12, 0, 0, 40},   {3, 30, 0, 40},      {30, 3, 0, 40}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_comparison comparison = {.accepted_path = sg_copy_string("smoke.csv")};
        for (size_t k = 0; k < rows[i].regressed + rows[i].broken + rows[i].within; k++) {
            const bool is_slow = k < rows[i].regressed,
                       is_broken = !is_slow && k - rows[i].regressed < rows[i].broken;
            struct sg_finding finding = finding_of("v",
                                                   is_slow     ? SG_REGRESSED
                                                   : is_broken ? SG_BROKEN
                                                               : SG_WITHIN,
                                                   is_slow ? 0.1 + (double)k / 1000 : 0);
            finding.metric = is_broken ? "status" : finding.metric;
            finding.why = "a reason of some length, as they are, of more than eighty characters: "
                          "it was so and so";
            sg_finding_add(&comparison, &finding);
            comparison.by_verdict[finding.accepted]++;
            comparison.judged++;
        }
        char *text = formatted("markdown", &(struct sg_report_input){.comparison = &comparison});
        const size_t lines = shown_lines(text);
        if (lines > 60 || lines < rows[i].lines || strlen(text) > 65536)
            fail_msg("row %zu: %zu lines, %zu bytes:\n%.5000s", i, lines, strlen(text), text);
        if (strncmp(text,
                    rows[i].regressed + rows[i].broken > 0 ? "**FAIL (exit " : "**PASS (exit ",
                    13) != 0)
            fail_msg("row %zu does not begin with its verdict:\n%.200s", i, text);
        const char *worst = strstr(text, "| 3.099x |"), *folded = strstr(text, "<details>");
        assert_true(rows[i].regressed < 2000 || (worst && worst < folded));
        free(text);
    }
}

TEST(hostile_names)
{
    static const struct {
        const char *sentence, *format;
        const char *never[2];
    } rows[] = {
        {"markdown holds no element and calls nobody", "markdown", {"<script", "@all"}},
        {"junit holds no element", "junit", {"<script"}},
        {"html holds no element of a name", "html", {"<script>"}},
        {"a row of json is a line", "json", {"\n@all"}},
        {"a row of csv is a line", "csv", {"\n@all"}},
    };
    struct sg_finding finding = finding_of(HOSTILE, SG_REGRESSED, 0.1);
    finding.family = HOSTILE;
    finding.case_ = HOSTILE;
    finding.why = HOSTILE;
    struct sg_comparison comparison = comparison_of(&finding, 1);
    free(comparison.accepted_path);
    comparison.accepted_path = sg_copy_string(HOSTILE);
    const struct sg_report_input input = {.comparison = &comparison, .note = HOSTILE};
    size_t count = 0;
    const struct sg_format *const *formats = sg_formats(&count);
    for (size_t i = 0; i < count; i++) {
        char *text = formatted(formats[i]->name, &input);
        if (strpbrk(text, "\x1b\xff"))
            fail_msg("%s obeys an escape character, or holds a broken byte:\n%s", formats[i]->name,
                     text);
        free(text);
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = formatted(rows[i].format, &input);
        for (size_t k = 0; k < COUNT(rows[i].never) && rows[i].never[k]; k++)
            if (strstr(text, rows[i].never[k]))
                fail_msg("%s:\n%s", rows[i].sentence, text);
        free(text);
    }
    char *csv = formatted("csv", &input);
    assert_non_null(
        strstr(csv, "\"<script>|`x`\\x1b[31m\"\"'&\\xff_* @all\"")); /* the rest is kept, quoted */
    free(csv);
}

TEST(a_markdown_row_is_a_line)
{
    struct sg_finding finding = finding_of(HOSTILE, SG_REGRESSED, 0.1);
    struct sg_comparison comparison = comparison_of(&finding, 1);
    char *text = formatted("markdown", &(struct sg_report_input){.comparison = &comparison});
    size_t lines = 0, columns = 0;
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] != '|')
            continue;
        size_t bars = 0;
        for (const char *c = line; *c; c++)
            bars += *c == '|' && (c == line || c[-1] != '\\');
        if (lines++ > 0 && bars != columns)
            fail_msg("%zu cells in '%s', %zu in the head", bars, line, columns);
        columns = bars;
    }
    assert_int_equal(lines, 3);
    free(text);
}

/* In words for people; CSV has columns instead. */
TEST(a_run_beside_ceilings_of_another_state)
{
    static const struct {
        const char *sentence;
        bool of_run;
        double dram;
        const char *l2, *words; /* NULL: nothing is said */
    } rows[] = {
        {"the same state needs no words", true, 4.2e12, "clean", NULL},
        {"another one is told", true, 4.2e12, "cold",
         "The L2 was cold in this run and clean where the ceilings were measured: the rate of DRAM "
         "depends"},
        {"a run that does not say", true, 4.2e12, NULL,
         "The state of the L2 in this run is not known, and clean where the ceilings "
         "were measured: the rate"},
        {"no run at all", false, 4.2e12, NULL, NULL},
        {"no rate of DRAM that would depend on it", true, 0, "cold", NULL},
    };
    static char key[] = "test", name[] = "Test GPU", path[] = "baselines/test/ceilings.csv",
                unit[] = "", date[] = "2026-11-21";
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_sol_table all = {
            .spec = {.key = key, .name = name, .dram_bytes_per_s = 4.8e12},
            .ceilings = {.l2 = SG_L2_CLEAN,
                         .dram_bytes_per_s = rows[i].dram,
                         .flop_per_s[SG_BF16] = 8e14,
                         .path = path,
                         .gpu_uuid_hash = unit,
                         .date = date},
            .of_run = rows[i].of_run,
            .l2 = rows[i].l2,
        };
        SG_SCOPED(sg_text) text = {0};
        sg_add_ceilings(&text, &all);
        const char *begun = rows[i].dram > 0 ? "measured with a clean L2: DRAM 4.20 TB/s, bf16"
                                             : "measured with a clean L2: bf16 800";
        if (!strstr(text.data, begun) || !strstr(text.data, "in this run") != !rows[i].words ||
            (rows[i].words && !strstr(text.data, rows[i].words)))
            fail_msg("%s: '%s'", rows[i].sentence, text.data);
    }
}

TEST(names_of_formats)
{
    size_t count = 0;
    const struct sg_format *const *formats = sg_formats(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(formats[i - 1]->name, formats[i]->name) < 0);
        assert_ptr_equal(sg_format_find(formats[i]->name), formats[i]);
    }
    assert_null(sg_format_find("xml"));
}

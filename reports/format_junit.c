#include "reports/tables/headline.h"
#include "stats/verdict.h"
#include "util/escape.h"

#include <math.h>
#include <string.h>

#define CAUSES 3

/* Returns true for a finding that can fail, and for a compared row of an import. A counter or an
 * absolute time that does not gate is neither. */
static bool is_compared(const struct sg_report_input *input, const struct sg_finding *finding)
{
    return finding->gates || sg_is_status(finding) ||
           (input->comparison->of_imports && finding->is_informational);
}

static enum sg_junit outcome_of(const struct sg_report_input *input,
                                const struct sg_finding *finding)
{
    const enum sg_junit junit = sg_verdict_row(finding->accepted)->junit;
    if (sg_finding_fails(finding, &input->options))
        return junit;
    if (finding->is_informational &&
        (sg_class_of(finding) == SG_NEWS || !is_compared(input, finding)))
        return sg_class_of(finding) == SG_NEWS ? SG_JUNIT_SKIPPED : SG_JUNIT_PASSED;
    if (finding->accepted == SG_IDENTICAL && isnan(finding->is)) /* untimed in a nightly run */
        return SG_JUNIT_SKIPPED;
    const bool is_shown = is_compared(input, finding) || sg_class_of(finding) < SG_COUNTER;
    return junit != SG_JUNIT_PASSED && is_shown ? SG_JUNIT_SKIPPED : SG_JUNIT_PASSED;
}

static void add_attribute(struct sg_text *out, const char *name, const char *value)
{
    sg_text_addf(out, " %s=\"", name);
    sg_add_markup(out, value);
    sg_text_add(out, "\"");
}

static void add_causes(const struct sg_report_input *input, const struct sg_finding *finding,
                       struct sg_text *out)
{
    struct sg_causes causes;
    sg_find_causes(input, finding, &causes);
    for (size_t i = 0; i < causes.found.count && i < CAUSES; i++) {
        SG_SCOPED(sg_text) line = {0};
        sg_add_cause(&line, &causes, &causes.found.cause[i]);
        sg_text_add(out, "\n");
        sg_add_markup(out, line.data);
    }
}

static void add_result(const struct sg_report_input *input, const struct sg_finding *finding,
                       enum sg_junit outcome, struct sg_text *out)
{
    static const char *const element[SG_JUNIT_COUNT] = {
        [SG_JUNIT_FAILED] = "failure", [SG_JUNIT_ERROR] = "error", [SG_JUNIT_SKIPPED] = "skipped"};
    SG_FORMATTED(message, "%s ", sg_verdict_word(finding->accepted));
    if (sg_is_time(finding))
        sg_add_interval(&message, finding->change, finding->low, finding->high);
    sg_text_addf(out, "      <%s", element[outcome]);
    add_attribute(out, "message", message.data);
    if (outcome != SG_JUNIT_SKIPPED) /* the schemas allow no type in a skipped element */
        add_attribute(out, "type", sg_verdict_word(finding->accepted));
    sg_text_add(out, ">");
    sg_add_markup(out, finding->why);
    if (outcome == SG_JUNIT_FAILED)
        add_causes(input, finding, out);
    sg_text_addf(out, "</%s>\n", element[outcome]);
}

static bool is_test(const struct sg_report_input *input, const struct sg_finding *finding)
{
    return is_compared(input, finding) || outcome_of(input, finding) != SG_JUNIT_PASSED;
}

static void add_case(const struct sg_report_input *input, const struct sg_finding *finding,
                     struct sg_text *out)
{
    SG_FORMATTED(name, "%s/%s", finding->case_, finding->variant);
    if (strcmp(finding->metric, "status") != 0)
        sg_text_addf(&name, " %s", finding->metric);
    enum sg_junit outcome = outcome_of(input, finding);
    sg_text_add(out, "    <testcase");
    add_attribute(out, "classname", finding->family);
    add_attribute(out, "name", name.data);
    sg_text_add(out, outcome == SG_JUNIT_PASSED ? "/>\n" : ">\n");
    if (outcome != SG_JUNIT_PASSED) {
        add_result(input, finding, outcome, out);
        sg_text_add(out, "    </testcase>\n");
    }
}

static void add_totals(const struct sg_report_input *input, size_t from, size_t to, bool run_fails,
                       struct sg_text *out)
{
    size_t tests = run_fails, total[SG_JUNIT_COUNT] = {[SG_JUNIT_ERROR] = run_fails};
    for (size_t i = from; i < to; i++) {
        const struct sg_finding finding = sg_finding_at(input->comparison, i);
        tests += is_test(input, &finding);
        total[outcome_of(input, &finding)]++;
    }
    sg_text_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", tests,
                 total[SG_JUNIT_FAILED], total[SG_JUNIT_ERROR], total[SG_JUNIT_SKIPPED]);
}

static void add_selection(const struct sg_report_input *input, struct sg_text *out)
{
    SG_SCOPED(sg_text) selection = {0};
    if (input->filters)
        sg_filters_add_to(&selection, input->filters);
    if (selection.length > 0) {
        sg_text_add(out, "    <properties><property name=\"selection\"");
        add_attribute(out, "value", selection.data + strspn(selection.data, " "));
        sg_text_add(out, "/></properties>\n");
    }
}

/* End of the family's findings that begin at `from`; findings are in the order of the run. */
static size_t family_end(const struct sg_comparison *all, size_t from)
{
    const char *family = sg_finding_at(all, from).family;
    size_t to = from + 1;
    while (to < all->count && strcmp(sg_finding_at(all, to).family, family) == 0)
        to++;
    return to;
}

static void begin_suites(const char *name, struct sg_text *out)
{
    sg_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    add_attribute(out, "name", name);
}

/* Adds a suite with one test for a failure of the whole run. */
static void add_run_error(const char *why, struct sg_text *out)
{
    sg_text_add(out,
                "  <testsuite name=\"run\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n"
                "    <testcase classname=\"run\" name=\"judged\">\n      <error");
    add_attribute(out, "message", why);
    sg_text_add(out, " type=\"run\"/>\n    </testcase>\n  </testsuite>\n");
}

static void refusal(const struct sg_err *err, struct sg_text *out)
{
    SG_FORMATTED(why, "%s%s%s", err->where, *err->where ? ": " : "", err->message);
    begin_suites("solgate", out);
    sg_text_add(out, " tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n");
    add_run_error(why.data, out);
    sg_text_add(out, "</testsuites>\n");
}

static void comparison(const struct sg_report_input *input, struct sg_text *out)
{
    const struct sg_comparison *all = input->comparison;
    struct sg_headline headline = {0};
    SG_SCOPED(sg_text) name = {0};
    sg_headline_of(input, &headline);
    /* The run fails, although no row does. */
    const char *why = headline.exit_code != SG_EXIT_DONE && headline.item.length == 0
                          ? sg_text_string(&headline.says)
                          : NULL;
    sg_headline_add(&name, &headline);
    begin_suites(name.data, out);
    add_totals(input, 0, all->count, why != NULL, out);
    sg_text_add(out, ">\n");
    if (why)
        add_run_error(why, out);
    for (size_t from = 0; from < all->count;) {
        const size_t to = family_end(all, from);
        sg_text_add(out, "  <testsuite");
        add_attribute(out, "name", sg_finding_at(all, from).family);
        add_totals(input, from, to, false, out);
        sg_text_add(out, ">\n");
        add_selection(input, out);
        for (size_t i = from; i < to; i++) {
            const struct sg_finding finding = sg_finding_at(all, i);
            if (is_test(input, &finding))
                add_case(input, &finding, out);
        }
        sg_text_add(out, "  </testsuite>\n");
        from = to;
    }
    sg_text_add(out, "</testsuites>\n");
}

const struct sg_format sg_format_junit = {
    .name = "junit", .comparison = comparison, .refusal = refusal};

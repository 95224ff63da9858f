/* What is printed of a comparison: what a person has to look at, what is as it should be in few
 * words, and every finding for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/ranking.h"
#include "results/error_signature.h"
#include "stats/verdict.h"

#define PAIRS_MAX 60   /* of `solgate ab`: pairs that are as they should be are listed up to as many, more are counted */
#define FOLD_MAX  1000 /* rows in the folded part of a page: a merge request does not take megabytes */
#define CAUSES    3

static const struct sg_column finding_columns[] = {
    {.title = "family"},
    {.title = "case"},
    {.title = "variant"},
    {.title = "metric", .meaning = "metrics/metrics.ini"},
    {.title = "unit", .meaning = "of accepted and now"},
    {.title = "accepted", .number = true, .meaning = "the accepted number"},
    {.title = "now", .number = true, .meaning = "the number of this run"},
    {.title = "change", .number = true, .unit = "1", .meaning = "now over accepted, -1"},
    {.title = "low", .number = true, .unit = "1", .meaning = "the interval of the change"},
    {.title = "high", .number = true, .unit = "1", .meaning = "the interval of the change"},
    {.title = "tolerance", .number = true, .unit = "1", .meaning = "the change that is allowed"},
    {.title = "resolution", .number = true, .unit = "1", .meaning = "the smallest change that 9 of 10 such runs find"},
    {.title = "q", .number = true, .unit = "1", .meaning = "false discovery rate of a counter that differs"},
    {.title = "vs_accepted", .meaning = "the verdict against the accepted number"},
    {.title = "vs_baseline", .meaning = "the verdict against the family's baseline variant"},
    {.title = "baseline_change", .number = true, .unit = "1", .meaning = "time over that of the baseline variant, -1"},
    {.title = "baseline_low", .number = true, .unit = "1", .meaning = "its interval"},
    {.title = "baseline_high", .number = true, .unit = "1", .meaning = "its interval"},
    {.title = "processes", .number = true, .unit = "1", .meaning = "that it was measured in"},
    {.title = "gates", .meaning = "yes: the verdict counts in the exit code"},
    {.title = "why", .meaning = "the reason of the verdict"},
};

static void add_finding(struct sg_sheet *sheet, const struct sg_finding *finding, double q)
{
    const bool is_paired = finding->baseline != SG_VERDICT_COUNT;
    const char *const names[] = {finding->family, finding->case_, finding->variant, finding->metric, finding->unit};
    const double numbers[] = {finding->was,  finding->is,        finding->change,     finding->low,
                              finding->high, finding->tolerance, finding->resolution, q};
    sg_sheet_row(sheet, sg_class_of(finding));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        sg_sheet_cell(sheet, names[i]);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sg_sheet_number(sheet, numbers[i]);
    sg_sheet_cell(sheet, sg_verdict_word(finding->accepted));
    sg_sheet_cell(sheet, is_paired ? sg_verdict_pair_word(finding->baseline) : "");
    sg_sheet_number(sheet, is_paired ? finding->baseline_change : NAN);
    sg_sheet_number(sheet, is_paired ? finding->baseline_low : NAN);
    sg_sheet_number(sheet, is_paired ? finding->baseline_high : NAN);
    sg_sheet_number(sheet, finding->processes > 0 ? finding->processes : NAN);
    sg_sheet_cell(sheet, finding->gates ? "yes" : "no");
    sg_sheet_cell(sheet, finding->why);
}

static void add_findings(struct sg_document *document, const struct sg_comparison *comparison)
{
    struct sg_sheet *sheet = sg_document_sheet(document, "findings", SG_COLUMNS(finding_columns), SG_FOR_PROGRAMS);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        add_finding(sheet, &finding, comparison->q ? comparison->q[i] : NAN);
    }
}

/* A note of these words, which are released. */
static void add_note(struct sg_document *document, enum sg_readers readers, struct sg_text *words)
{
    sg_document_note(document, readers, sg_text_string(words));
    sg_text_release(words);
}

/* How small a change the run could have found, and what it did not look at. */
static void add_reach(struct sg_document *document, const struct sg_report_input *input)
{
    struct sg_text words = {0};
    if (input->comparison->of_pairs)
        return;
    sg_add_mde(&words, input->comparison);
    add_note(document, SG_FOR_ALL, &words);
    sg_add_unmeasured(&words, input);
    add_note(document, SG_FOR_ALL, &words);
}

static void add_headline(struct sg_document *document, const struct sg_report_input *input, const struct sg_rank *rank)
{
    struct sg_text words = {0};
    sg_add_counts(&words, input->comparison);
    sg_add_against(&words, input);
    add_note(document, SG_FOR_ALL, &words);
    sg_document_paint(document, sg_worst_class(rank));
    sg_document_note(document, SG_FOR_ALL, sg_doubt(input));
    sg_document_note(document, SG_FOR_ALL, input->note ? input->note : "");
    add_reach(document, input);
    if (input->events)
        sg_document_notef(document, SG_FOR_ALL, "events: %s", input->events);
}

typedef bool kind_fn(const struct sg_finding *finding);

static bool is_measured(const struct sg_finding *finding)
{
    return !sg_is_status(finding);
}

/* Slower than its baseline variant, as before: what was tried. */
static bool is_tried(const struct sg_finding *finding)
{
    return sg_is_time(finding) && finding->baseline == SG_REGRESSED;
}

static bool is_untried(const struct sg_finding *finding)
{
    return !is_tried(finding);
}

/* The findings [from, to) that are of a kind, in their order; to be released. */
static struct sg_rank pick(const struct sg_rank *rank, size_t from, size_t to, kind_fn *is_wanted)
{
    struct sg_rank picked = {.comparison = rank->comparison, .finding = sg_alloc(to - from, sizeof(*picked.finding))};
    for (size_t i = from; i < to; i++) {
        const struct sg_finding finding = sg_rank_at(rank, i);
        if (is_wanted(&finding))
            picked.finding[picked.count++] = rank->finding[i];
    }
    return picked;
}

/* The findings [from, to): those that are measured, and statuses as a sheet of their own. */
static void add_tables(struct sg_document *document, const struct sg_report_input *input, const struct sg_rank *rank, size_t from,
                       size_t to, size_t causes, enum sg_readers readers)
{
    static kind_fn *const kinds[] = {is_measured, sg_is_status};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct sg_rank picked = pick(rank, from, to, kinds[i]);
        if (picked.count > 0) {
            struct sg_sheet *sheet = sg_document_sheet(document, "", NULL, 0, readers);
            if (kinds[i] == sg_is_status)
                sg_status_grid(sheet, input, &picked);
            else
                sg_judged_grid(sheet, input, &picked, 0, picked.count, causes);
        }
        sg_rank_release(&picked);
    }
}

static void add_hidden(struct sg_text *out, size_t count, const char *what)
{
    if (count > 0)
        sg_text_addf(out, "%s%zu %s", out->length > 0 ? ", " : "", count, what);
}

/* What is listed of what is as it should be; the rest is counted in `hidden`. */
struct rest {
    struct sg_document *document;
    const struct sg_report_input *input;
    const struct sg_rank *rank;
    bool is_listed;
    struct sg_text hidden;
};

/* Of a class: what was tried and is slower, with its causes, and the others. Returns how many of
 * each are not listed. */
static void add_class(struct rest *rest, enum sg_class class_, size_t *tried_hidden, size_t *untried_hidden)
{
    const size_t from = rest->rank->from[class_], to = rest->rank->from[class_ + 1];
    const bool is_explained = rest->is_listed || rest->input->explain;
    struct sg_rank tried = pick(rest->rank, from, to, is_tried), untried = pick(rest->rank, from, to, is_untried);
    add_tables(rest->document, rest->input, &tried, 0, is_explained ? tried.count : 0, CAUSES, SG_FOR_TERMINAL);
    add_tables(rest->document, rest->input, &untried, 0, rest->is_listed ? untried.count : 0, 0, SG_FOR_TERMINAL);
    *tried_hidden = is_explained ? 0 : tried.count;
    *untried_hidden = rest->is_listed ? 0 : untried.count;
    sg_rank_release(&untried);
    sg_rank_release(&tried);
}

/* Rows that are as they should be, and unresolved ones. */
static void add_green_and_open(struct rest *rest)
{
    size_t tried = 0, untried = 0;
    add_class(rest, SG_GREEN, &tried, &untried);
    add_hidden(&rest->hidden, tried, "rows slower than their baseline variant, as accepted (see --explain)");
    add_hidden(&rest->hidden, untried, "rows that are as they should be");
    add_class(rest, SG_OPEN, &tried, &untried);
    if (!rest->input->verbose)
        sg_add_open(&rest->hidden, rest->rank);
}

static void add_class_as_asked(struct rest *rest, enum sg_class class_, bool is_asked, const char *what)
{
    const size_t count = sg_rank_of(rest->rank, class_), from = rest->rank->from[class_];
    add_tables(rest->document, rest->input, rest->rank, from, from + (is_asked ? count : 0), 0, SG_FOR_TERMINAL);
    add_hidden(&rest->hidden, is_asked ? 0 : count, what);
}

/* All of what is not red, or yellow, or news: wherever --verbose asks for it, and few
 * pairs of `solgate ab` that are green. */
static bool is_rest_listed(const struct sg_report_input *input, const struct sg_rank *rank)
{
    const bool is_green = sg_rank_of(rank, SG_RED) + sg_rank_of(rank, SG_YELLOW) == 0;
    return input->verbose || (input->comparison->of_pairs && is_green && sg_rank_of(rank, SG_GREEN) <= PAIRS_MAX);
}

static void add_rest(struct rest *rest)
{
    const struct sg_comparison *comparison = rest->input->comparison;
    add_green_and_open(rest);
    add_class_as_asked(rest, SG_ASIDE, rest->input->verbose,
                       comparison->paired > 0 ? "times and ratios of variants that are judged by their pairs"
                                              : "times of variants that are judged by their ratio");
    add_class_as_asked(rest, SG_COUNTER, rest->is_listed, "counters that differ");
    if (!comparison->of_pairs)
        sg_document_notef(rest->document, SG_FOR_TERMINAL, "%zu counters compared, %zu differ, %zu have no accepted value",
                          comparison->counters_compared, comparison->counters_changed, comparison->counters_new);
    if (rest->hidden.length > 0)
        sg_document_notef(rest->document, SG_FOR_TERMINAL, "not shown, --%s has them: %s", comparison->of_pairs ? "format=csv" : "verbose",
                          rest->hidden.data);
    sg_text_release(&rest->hidden);
}

/* On a page there is room for them behind a title. */
static void add_folded(struct sg_document *document, const struct sg_report_input *input, const struct sg_rank *rank)
{
    const size_t from = rank->from[SG_GREEN], all = rank->count - from, shown = all < FOLD_MAX ? all : FOLD_MAX;
    struct sg_text title = {0};
    if (all == 0)
        return;
    sg_text_addf(&title, "%zu rows as they should be", sg_rank_of(rank, SG_GREEN));
    sg_add_open(&title, rank);
    sg_text_addf(&title, ", %zu counters that differ, %zu %s", sg_rank_of(rank, SG_COUNTER), sg_rank_of(rank, SG_ASIDE),
                 sg_aside_words(input->comparison));
    if (shown < all)
        sg_text_addf(&title, "; the first %zu, --format=csv has all", shown);
    sg_judged_grid(sg_document_sheet(document, "", NULL, 0, SG_FOR_PEOPLE), input, rank, from, from + shown, 0);
    sg_document_fold(document, title.data);
    sg_text_release(&title);
}

/* Variants that are wrong in the same way, a line each. */
static void add_line(const char *line, struct sg_text *lines)
{
    sg_text_addf(lines, "%s\n", line);
}

static void add_shared(struct sg_document *document, const struct sg_report_input *input)
{
    struct sg_text lines = {0};
    sg_shared_errors_each(input->run, add_line, &lines);
    char *rest = lines.data;
    for (char *line = rest ? strtok_r(rest, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        sg_document_note(document, SG_FOR_ALL, line);
    sg_text_release(&lines);
}

void sg_document_of_comparison(struct sg_document *document, const struct sg_report_input *input)
{
    struct sg_rank rank;
    sg_rank_init(&rank, input->comparison);
    struct rest rest = {.document = document, .input = input, .rank = &rank, .is_listed = is_rest_listed(input, &rank)};
    add_headline(document, input, &rank);
    add_tables(document, input, &rank, 0, rank.from[SG_GREEN], CAUSES, SG_FOR_PEOPLE);
    add_shared(document, input);
    add_rest(&rest);
    add_folded(document, input, &rank);
    add_findings(document, input->comparison);
    sg_rank_release(&rank);
}

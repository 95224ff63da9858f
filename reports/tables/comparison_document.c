/*
 * The document of a comparison: rows that need attention, a summary of the other rows, and every
 * finding for programs.
 */
#include <math.h>
#include <string.h>

#include "reports/tables/headline.h"
#include "results/row_kind.h"
#include "stats/verdict.h"

#define MOVED 0.1 /* ln; a smaller change is not news */

#define CAUSES    3  /* maximum number of causes below a row */
#define PAIRS_MAX 60 /* `solgate ab`: up to this many green pairs are listed; more are counted */

#define FINDINGS(X)                                                                         \
    X("family", sg_text_add(cell, f->family), .meaning = NULL)                              \
    X("case", sg_text_add(cell, f->case_), .meaning = NULL)                                 \
    X("variant", sg_text_add(cell, f->variant), .meaning = NULL)                            \
    X("metric", sg_text_add(cell, f->metric), .meaning = "metrics/metrics.ini")             \
    X("unit", sg_text_add(cell, f->unit), .meaning = "unit of accepted and now")            \
    X("accepted", sg_add_exactly(cell, f->was), SG_NUMBER(NULL, "the accepted number"))     \
    X("now", sg_add_exactly(cell, f->is), SG_NUMBER(NULL, "the number of this run"))        \
    X("change", sg_add_exactly(cell, f->change), SG_NUMBER("1", "now over accepted, -1"))   \
    X("low", sg_add_exactly(cell, f->low), SG_NUMBER("1", "the interval of the change"))    \
    X("high", sg_add_exactly(cell, f->high), SG_NUMBER("1", "the interval of the change"))  \
    X("tolerance", sg_add_exactly(cell, f->tolerance),                                      \
      SG_NUMBER("1", "the change that is allowed"))                                         \
    X("resolution", sg_add_exactly(cell, f->resolution),                                    \
      SG_NUMBER("1", "the smallest change that 9 of 10 such runs find"))                    \
    X("q", sg_add_exactly(cell, q),                                                         \
      SG_NUMBER("1", "false discovery rate of a counter that differs"))                     \
    X("vs_accepted", sg_text_add(cell, sg_verdict_word(f->accepted)),                       \
      .meaning = "the verdict against the accepted number")                                 \
    X("vs_baseline", sg_text_add(cell, is_paired ? sg_verdict_pair_word(f->baseline) : ""), \
      .meaning = "the verdict against the family's baseline variant")                       \
    X("baseline_change", sg_add_exactly(cell, is_paired ? f->baseline_change : NAN),        \
      SG_NUMBER("1", "time over the baseline variant's time, -1"))                          \
    X("baseline_low", sg_add_exactly(cell, is_paired ? f->baseline_low : NAN),              \
      SG_NUMBER("1", "its interval"))                                                       \
    X("baseline_high", sg_add_exactly(cell, is_paired ? f->baseline_high : NAN),            \
      SG_NUMBER("1", "its interval"))                                                       \
    X("processes", sg_add_exactly(cell, f->processes > 0 ? f->processes : NAN),             \
      SG_NUMBER("1", "number of processes that timed the row"))                             \
    X("gates", sg_text_add(cell, f->gates ? "yes" : "no"),                                  \
      .meaning = "yes: the verdict counts in the exit code")                                \
    X("why", sg_text_add(cell, f->why), .meaning = "the reason of the verdict")

static const struct sg_column finding_columns[] = {FINDINGS(SG_COLUMN)};

static void add_finding(struct sg_sheet *sheet, const struct sg_finding *f, double q)
{
    const bool is_paired = f->baseline != SG_VERDICT_COUNT;
    sg_sheet_row(sheet, sg_class_of(f));
    FINDINGS(SG_CELL)
}

static void add_findings(struct sg_document *document, const struct sg_comparison *comparison)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "findings", SG_COLUMNS(finding_columns), SG_FOR_PROGRAMS);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        add_finding(sheet, &finding, comparison->q ? comparison->q[i] : NAN);
    }
}

/* Adds the smallest change that the run could have found, and the missing measurements. */
static void add_reach(struct sg_document *document, const struct sg_report_input *input)
{
    SG_SCOPED(sg_text) mde = {0};
    struct sg_text words = {0};
    if (input->comparison->of_pairs)
        return;
    sg_add_mde(&mde, input->comparison);
    if (input->env && sg_env_is_imported(input->env) && !input->comparison->of_imports)
        sg_text_add(&words, "not paired: another clock or machine on one side reads as a change");
    if (mde.length > 0)
        sg_text_add(sg_text_next(&words), mde.data);
    sg_document_take_note(document, SG_FOR_ALL, &words);
    sg_add_unmeasured(&words, input);
    sg_document_take_note(document, SG_FOR_ALL, &words);
}

/* "none in 5 processes" means no events. */
static bool is_news(const char *events)
{
    return strncmp(events, "none in ", strlen("none in ")) != 0 || strpbrk(events, ",;") != NULL;
}

/* ln: how far the grid changed, or the 90th percentile more than the median. */
static double moved_by(const struct sg_report_input *input, const struct sg_finding *finding)
{
    const struct sg_row *now = sg_table_find(input->run, SG_NAMES(*finding), "time"),
                        *then = sg_table_find(&input->accepted->table, SG_NAMES(*finding), "time");
    const double moved = log(finding->is / finding->was);
    if (strcmp(finding->metric, "grid") == 0)
        return fabs(moved);
    return now && then ? moved - log(now->value / then->value) : 0;
}

/* Names a counter of imported rows that moved, though no row fails by it. */
static void add_moved(struct sg_document *document, const struct sg_report_input *input,
                      const char *metric, const char *says, const char *unit)
{
    struct sg_finding first = sg_finding_none();
    size_t count = 0;
    if (!input->env || !sg_env_is_imported(input->env))
        return;
    for (size_t i = 0; i < input->comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(input->comparison, i);
        if (strcmp(finding.metric, metric) == 0 && moved_by(input, &finding) > MOVED &&
            count++ == 0)
            first = finding;
    }
    if (count > 0)
        sg_document_notef(document, SG_FOR_ALL, "%s/%s/%s%s: %s, %.6g -> %.6g %s", SG_NAMES(first),
                          count > 1 ? ", ..." : "", says, first.was, first.is, unit);
}

void sg_add_headline(struct sg_document *document, const struct sg_report_input *input,
                     const struct sg_rank *rank)
{
    struct sg_text words = {0};
    struct sg_headline headline = {0};
    sg_headline_of(input, &headline);
    sg_add_counts(&words, input, &headline);
    sg_document_first_lines(document, SG_FOR_ALL, &headline, sg_worst_class(rank), words.data);
    sg_text_release(&words);
    sg_add_pairing(&words, input->comparison);
    sg_document_take_note(document, SG_FOR_ALL, &words);
    sg_document_note(document, SG_FOR_ALL, sg_integrity_warning(input));
    SG_FREED char *notes = sg_copy_string(input->note ? input->note : "");
    for (char *rest = notes, *line; (line = strsep(&rest, "\n")) != NULL;)
        sg_document_note(document, SG_FOR_ALL, line);
    add_reach(document, input);
    add_moved(document, input, "grid", "another grid", "blocks: is it the same problem?");
    add_moved(document, input, SG_P90_METRIC, "slower in the slowest tenth of the launches", "ns");
    if (input->events && (input->verbose || is_news(input->events)))
        sg_document_notef(document, SG_FOR_ALL, "events: %s", input->events);
}

/* ---- rows that need no action: listed on request, otherwise counted ---- */

#define DIFFERING "counter that differs|counters that differ"

/* `what`: "WORDS FOR ONE|WORDS FOR MORE", or words for any number. */
static void add_count(struct sg_text *out, size_t count, const char *what)
{
    const int one = (int)strcspn(what, "|");
    const char *many = what[one] ? what + one + 1 : what;
    if (count > 0)
        sg_text_addf(out, "%s%zu %.*s", out->length > 0 ? ", " : "", count,
                     count == 1 ? one : (int)strlen(many), count == 1 ? what : many);
}

struct rest {
    struct sg_document *document;
    const struct sg_report_input *input;
    const struct sg_rank *rank;
    struct sg_text hidden;
};

static void list_or_count(struct rest *rest, enum sg_class class_, enum sg_kinds kinds,
                          bool is_listed, const char *what)
{
    const struct sg_listing listing = {
        .rank = rest->rank,
        .from = rest->rank->from[class_],
        .to = rest->rank->from[class_ + 1],
        .kinds = kinds,
        .causes = kinds == SG_TRIED ? CAUSES : 0,
        .readers = SG_FOR_TERMINAL,
    };
    const size_t count = sg_count_kinds(&listing);
    if (is_listed)
        sg_add_listing(rest->document, rest->input, &listing);
    else if (what)
        add_count(&rest->hidden, count, what);
}

/* True with --verbose, and for a small number of green pairs of `solgate ab`, if none is red or if
 * they are of several gates. */
static bool are_other_rows_listed(const struct sg_report_input *input, const struct sg_rank *rank)
{
    const bool is_green = sg_rank_of(rank, SG_RED) + sg_rank_of(rank, SG_YELLOW) == 0;
    return input->verbose || (input->comparison->of_pairs && (is_green || input->total) &&
                              sg_rank_of(rank, SG_GREEN) <= PAIRS_MAX);
}

static void add_rest(struct sg_document *document, const struct sg_report_input *input,
                     const struct sg_rank *rank)
{
    const struct sg_comparison *comparison = input->comparison;
    struct rest rest = {document, input, rank, {0}};
    const bool is_listed = are_other_rows_listed(input, rank),
               is_explained = is_listed || input->explain;
    list_or_count(&rest, SG_GREEN, SG_TRIED, is_explained,
                  "row slower than its baseline variant, as accepted (see --explain)|"
                  "rows slower than their baseline variant, as accepted (see --explain)");
    list_or_count(&rest, SG_GREEN, SG_UNTRIED | SG_STATUSES, is_listed,
                  "row or counter that is as it should be|"
                  "rows and counters that are as they should be");
    list_or_count(&rest, SG_OPEN, SG_TRIED, is_explained, NULL);
    list_or_count(&rest, SG_OPEN, is_explained ? SG_UNTRIED | SG_STATUSES : SG_ALL_KINDS, is_listed,
                  "unresolved");
    list_or_count(&rest, SG_ASIDE, SG_ALL_KINDS, input->verbose,
                  comparison->of_imports ? "row that did not move|rows that did not move"
                  : comparison->paired > 0
                      ? "time or ratio of a variant that is judged by its pairs|"
                        "times and ratios of variants that are judged by their pairs"
                      : "time of a variant that is judged by its ratio|"
                        "times of variants that are judged by their ratio");
    list_or_count(&rest, SG_COUNTER, SG_ALL_KINDS,
                  is_listed || (comparison->of_imports && !sg_has_times(comparison)), DIFFERING);
    if (!comparison->of_pairs)
        sg_document_notef(document, SG_FOR_TERMINAL,
                          "%zu counter%s compared, %zu differ, %zu have no accepted value",
                          comparison->counters_compared, SG_PLURAL(comparison->counters_compared),
                          comparison->counters_changed, comparison->counters_new);
    if (rest.hidden.length > 0)
        sg_document_notef(document, SG_FOR_TERMINAL, "not shown (see --%s): %s",
                          comparison->of_pairs ? "format=csv" : "verbose", rest.hidden.data);
}

void sg_add_folded(struct sg_document *document, const struct sg_report_input *input,
                   const struct sg_rank *rank)
{
    const struct sg_listing listing = {.rank = rank,
                                       .from = rank->from[SG_GREEN],
                                       .to = rank->count,
                                       .kinds = SG_ALL_KINDS,
                                       .readers = SG_FOR_PAGES,
                                       .together = true};
    SG_SCOPED(sg_text) title = {0};
    if (listing.from == listing.to)
        return;
    add_count(&title, sg_rank_of(rank, SG_GREEN),
              "row or counter as it should be|rows and counters as they should be");
    add_count(&title, sg_rank_of(rank, SG_OPEN), "unresolved");
    add_count(&title, sg_rank_of(rank, SG_COUNTER), DIFFERING);
    add_count(&title, sg_rank_of(rank, SG_ASIDE), sg_aside_words(input->comparison));
    sg_add_listing(document, input, &listing);
    sg_document_fold(document, title.data);
}

/* ---- document ---- */

void sg_document_of_comparison(struct sg_document *document, const struct sg_report_input *input)
{
    struct sg_rank rank;
    sg_rank_init(&rank, input->comparison);
    const struct sg_listing wanting = {.rank = &rank,
                                       .to = rank.from[SG_GREEN],
                                       .kinds = SG_ALL_KINDS,
                                       .causes = CAUSES,
                                       .readers = SG_FOR_PEOPLE};
    add_findings(document, input->comparison);
    sg_add_headline(document, input, &rank);
    sg_add_listing(document, input, &wanting);
    add_rest(document, input, &rank);
    sg_add_folded(document, input, &rank);
}

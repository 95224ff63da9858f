/* The tables of findings for people: the columns of each row, and the lines below it. */
#include <math.h>
#include <string.h>

#include "reports/charts/charts.h"
#include "stats/verdict.h"

/* Drops the last two characters " %": the percent sign is printed earlier, or in the title. */
static void add_end(struct sg_text *out, double change)
{
    sg_add_change(out, change);
    out->length -= 2;
    out->data[out->length] = '\0';
}

void sg_add_interval(struct sg_text *out, double change, double low, double high)
{
    sg_add_change(out, change);
    if (isnan(change) || isnan(low) || isnan(high) || (low == change && high == change))
        return;
    sg_text_add(out, " [");
    add_end(out, low);
    sg_text_add(out, ", ");
    add_end(out, high);
    sg_text_add(out, "]");
}

void sg_add_unsigned_change(struct sg_text *out, double ratio)
{
    SG_SCOPED(sg_text) percent = {0};
    sg_add_change(&percent, ratio);
    sg_text_add(out, percent.data[0] == '+' ? percent.data + 1 : percent.data);
}

static void add_side(struct sg_text *out, const struct sg_finding *finding, double value)
{
    if (strcmp(finding->unit, "1") == 0 && sg_is_time(finding) && !isnan(value))
        sg_text_addf(out, value < 10 ? "%.3fx" : value < 100 ? "%.1fx" : "%.0fx", value);
    else if (!sg_is_status(finding)) {
        const struct sg_metric_shown shown = sg_metric_shown(finding->metric, finding->unit);
        sg_add_value(out, value * shown.factor, shown.unit);
    }
}

static double time_in(const struct sg_table *table, const struct sg_finding *finding,
                      const char *variant)
{
    const struct sg_row *row =
        table && variant ? sg_table_find(table, finding->family, finding->case_, variant, "time")
                         : NULL;
    return row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

/* Adds "2.31 us -> 2.85 us" to a ratio, or the side that is known. */
static void add_times(struct sg_text *out, const struct sg_report_input *input,
                      const struct sg_finding *finding)
{
    const bool of_pairs = input->comparison->of_pairs;
    const struct sg_table *then = of_pairs          ? input->run
                                  : input->accepted ? &input->accepted->table
                                                    : NULL;
    const char *variant = finding->variant;
    if (!sg_is_time(finding) || strcmp(finding->unit, "1") != 0)
        return;
    if (of_pairs && then)
        variant = sg_paired_with(then, SG_NAMES(*finding));
    const double was = time_in(then, finding, variant),
                 is = time_in(input->run, finding, finding->variant);
    if (!isnan(was))
        sg_add_time(out, was);
    if (!isnan(was) && !isnan(is))
        sg_text_add(out, " -> ");
    if (!isnan(is))
        sg_add_time(out, is);
}

static void add_change(struct sg_text *out, const struct sg_finding *finding)
{
    if (sg_is_time(finding))
        sg_add_interval(out, finding->change, finding->low, finding->high);
    else if (!sg_is_status(finding))
        sg_add_metric_change(out, finding->metric, finding->unit, finding->was, finding->is);
}

static void add_resolution(struct sg_text *out, const struct sg_finding *finding)
{
    if (!isnan(finding->resolution))
        sg_add_unsigned_change(out, finding->resolution);
}

static void add_verdict(struct sg_text *out, const struct sg_finding *finding)
{
    sg_text_addf(out, "%s%s", sg_verdict_word(finding->accepted),
                 finding->is_informational ? " (info)" : "");
}

static void add_vs_baseline(struct sg_text *out, const struct sg_finding *finding)
{
    if (finding->baseline == SG_VERDICT_COUNT)
        return;
    if (!isnan(finding->baseline_change)) {
        sg_add_change(out, finding->baseline_change);
        sg_text_add(out, " ");
    }
    sg_text_add(out, sg_verdict_pair_word(finding->baseline));
}

static void add_links(struct sg_text *out, const struct sg_report_input *input,
                      const struct sg_finding *finding)
{
    if (input->charts)
        sg_charts_add_links(input->charts, SG_NAMES(*finding), out);
}

#define CASE_COLUMN(X)                                                                        \
    X("case", sg_text_addf(cell, "%s/%s", f->family, f->case_), .meaning = "family and case", \
      .key = true, .names = true)
#define LAST_COLUMNS(X) \
    X("charts", add_links(cell, input, f), .meaning = "where the row is drawn", .cells = SG_FIGURES)
#define RESOLUTION_COLUMN(X)                 \
    X("detectable", add_resolution(cell, f), \
      .meaning = "the smallest slowdown that such a run detects with 90 % power", .right = true)

#define FINDINGS(X, ACCEPTED)                                                                      \
    CASE_COLUMN(X)                                                                                 \
    X("variant", sg_text_add(cell, f->variant), .meaning = "the kernel that is judged",            \
      .key = true, .names = true)                                                                  \
    X("measure", sg_text_add(cell, f->metric), .names = true,                                      \
      .meaning = "what is judged: time of the baseline variant, time_ratio to it of every other, " \
                 "build_ratio to the accepted build")                                              \
    X(ACCEPTED, add_side(cell, f, f->was), .meaning = "the number it is compared with",            \
      .right = true)                                                                               \
    X("now", add_side(cell, f, f->is), .meaning = "the number of this run", .right = true)         \
    X("times", add_times(cell, input, f),                                                          \
      .meaning = "absolute times, accepted and now: not paired, at the clocks of their runs",      \
      .right = true)                                                                               \
    X("change", add_change(cell, f),                                                               \
      .meaning = "since accepted, with its interval; more is slower", .right = true, .key = true)  \
    RESOLUTION_COLUMN(X)                                                                           \
    X("verdict", add_verdict(cell, f), .meaning = "against the accepted number: this gates",       \
      .key = true)                                                                                 \
    X("vs baseline variant", add_vs_baseline(cell, f),                                             \
      .meaning = "against the family's baseline variant, in pairs, in this run", .yields = true)   \
    LAST_COLUMNS(X)

/* Two sides of one run, without accepted numbers. */
#define PAIRS(X)                                                                                   \
    CASE_COLUMN(X)                                                                                 \
    X("candidate", sg_text_add(cell, f->variant), .meaning = "the kernel that is judged",          \
      .key = true, .names = true)                                                                  \
    X("ratio", add_side(cell, f, f->is), .meaning = "its time over the baseline's", .right = true) \
    X("times", add_times(cell, input, f), .meaning = "absolute times, baseline and candidate",     \
      .right = true)                                                                               \
    X("change", add_change(cell, f), .meaning = "with its interval; more is slower",               \
      .right = true, .key = true)                                                                  \
    X("processes", sg_add_exactly(cell, f->processes > 0 ? f->processes : NAN),                    \
      .meaning = "number needed for the decision", .right = true)                                  \
    RESOLUTION_COLUMN(X)                                                                           \
    X("verdict", add_verdict(cell, f), .meaning = "may it be merged: this gates", .key = true)     \
    LAST_COLUMNS(X)

static const struct sg_column finding_columns[] = {FINDINGS(SG_COLUMN, "accepted")},
                              run_columns[] = {FINDINGS(SG_COLUMN, "before")},
                              pair_columns[] = {PAIRS(SG_COLUMN)};

/* Statuses, one line each with its reason. */
static const struct sg_column status_columns[] = {
    {.title = "case", .key = true, .names = true},
    {.title = "variant", .key = true, .names = true},
    {.title = "verdict", .key = true},
    {.title = "why", .key = true},
};

/* ---- lines below a row ---- */

static void add_line(struct sg_sheet *sheet,
                     void (*add)(struct sg_text *out, const struct sg_diagnosed *what),
                     const struct sg_diagnosed *what)
{
    struct sg_text line = {0};
    add(&line, what);
    sg_sheet_take_below(sheet, &line);
}

static void add_causes(struct sg_sheet *sheet, const struct sg_report_input *input,
                       const struct sg_finding *finding, size_t most)
{
    struct sg_causes causes;
    sg_find_causes(input, finding, &causes);
    /* Next to accepted numbers, says that these causes are differences from another variant of
     * this run. */
    if (causes.found.count > 0 && input->accepted && causes.what.then == input->run) {
        struct sg_text line = sg_text_of("against %s, in this run:", causes.against);
        sg_sheet_take_below(sheet, &line);
    }
    for (size_t i = 0; i < causes.found.count && most > 0; i++) {
        if (i >= most && !(causes.found.cause[i].points < 0)) /* savings complete the sum */
            continue;
        struct sg_text line = {0};
        sg_add_cause(&line, &causes, &causes.found.cause[i]);
        sg_sheet_take_below(sheet, &line);
    }
    if (most == 0 || !causes.what.catalogue)
        return;
    add_line(sheet, sg_add_knobs, &causes.what);
    if (causes.found.count == 0) {
        struct sg_text line = {0};
        sg_add_no_cause(&line, &causes);
        sg_sheet_take_below(sheet, &line);
    }
    add_line(sheet, sg_add_non_repeatable, &causes.what);
}

/* Without accepted numbers the top of the page reports that, and rows with a time do not repeat
 * it. */
static bool is_reported_above(const struct sg_report_input *input, const struct sg_finding *finding)
{
    const char *accepted = input->comparison->accepted_path;
    return finding->accepted == SG_NEW && !(accepted && *accepted) && !sg_is_status(finding);
}

/* ---- reasons shared by many rows ---- */

/* rows too noisy for the same reason: more are counted, except with --verbose and on pages */
#define ALIKE_SHOWN 20

/* Returns true if the row's reason is printed once below the table. */
static bool is_shared(const struct sg_report_input *input, const struct sg_finding *finding)
{
    const bool is_open = finding->accepted == SG_INCONCLUSIVE || finding->accepted == SG_UNRESOLVED;
    return is_open && finding->shared && !input->verbose;
}

/* Returns true if the row may have changed; only then are causes listed. */
static bool may_have_changed(const struct sg_report_input *input, const struct sg_finding *finding)
{
    return input->verbose || input->explain ||
           !(finding->accepted == SG_INCONCLUSIVE || finding->accepted == SG_UNRESOLVED ||
             finding->accepted == SG_WAIVED || finding->accepted == SG_NOT_GATED);
}

static size_t count_shared(const struct sg_report_input *input, const struct sg_listing *listing,
                           size_t to, const struct sg_finding *as)
{
    size_t count = 0;
    for (size_t i = listing->from; i < to; i++) {
        const struct sg_finding finding = sg_rank_at(listing->rank, i);
        count += is_shared(input, &finding) && strcmp(finding.shared, as->shared) == 0;
    }
    return count;
}

static bool is_left_out(const struct sg_report_input *input, const struct sg_listing *listing,
                        size_t at, const struct sg_finding *finding)
{
    return is_shared(input, finding) && !listing->together &&
           count_shared(input, listing, at, finding) >= ALIKE_SHOWN;
}

static void add_shared(struct sg_document *document, const struct sg_report_input *input,
                       const struct sg_listing *listing)
{
    for (size_t i = listing->from; i < listing->to; i++) {
        const struct sg_finding finding = sg_rank_at(listing->rank, i);
        if (!is_shared(input, &finding) || count_shared(input, listing, i, &finding) > 0)
            continue;
        const size_t count = count_shared(input, listing, listing->to, &finding);
        const bool is_cut = !listing->together && count > ALIKE_SHOWN;
        sg_document_notef(document, listing->readers,
                          "%zu row%s too noisy to check to %.3g %%: %s%s", count,
                          count > 1 ? "s are" : " is", 100 * finding.tolerance, finding.shared,
                          is_cut ? "; --verbose lists all of them" : "");
    }
}

/* ---- tables ---- */

/* Adds informational times of the same item. */
static void add_repeats(struct sg_sheet *sheet, const struct sg_rank *rank, size_t at)
{
    const size_t row = rank->finding[at];
    SG_SCOPED(sg_text) line = {0};
    if (rank->repeats == 0)
        return;
    for (size_t i = sg_item_begins(rank->comparison, row); sg_same_item(rank->comparison, i, row);
         i++) {
        const struct sg_finding repeat = sg_finding_at(rank->comparison, i);
        if (sg_repeated_row(rank->comparison, i) != row)
            continue;
        sg_text_addf(&line, "%s%s ", line.length > 0 ? "; " : "for information: ", repeat.metric);
        add_change(&line, &repeat);
        sg_text_addf(&line, " %s", sg_verdict_word(repeat.accepted));
    }
    sg_sheet_below(sheet, sg_text_string(&line));
}

static bool is_of_kind(const struct sg_finding *finding, enum sg_kinds kinds)
{
    /* Slower than its baseline variant, as before: a rejected attempt. */
    const bool is_tried = sg_is_time(finding) && finding->baseline == SG_REGRESSED;
    return ((sg_is_status(finding) ? SG_STATUSES : is_tried ? SG_TRIED : SG_UNTRIED) & kinds) != 0;
}

size_t sg_count_kinds(const struct sg_listing *listing)
{
    size_t count = 0;
    for (size_t i = listing->from; i < listing->to; i++) {
        const struct sg_finding finding = sg_rank_at(listing->rank, i);
        count += is_of_kind(&finding, listing->kinds);
    }
    return count;
}

static void add_findings(struct sg_document *document, const struct sg_report_input *input,
                         const struct sg_listing *listing)
{
    const bool of_pairs = input->comparison->of_pairs,
               is_accepted = !input->accepted || !input->accepted->path ||
                             sg_env_get(&input->accepted->env, SG_ACCEPTED_RUNS_KEY);
    struct sg_sheet *sheet =
        of_pairs
            ? sg_document_sheet(document, "verdicts", SG_COLUMNS(pair_columns), listing->readers)
            : sg_document_sheet(document, "verdicts", is_accepted ? finding_columns : run_columns,
                                sizeof(run_columns) / sizeof(run_columns[0]), listing->readers);
    for (size_t i = listing->from; i < listing->to; i++) {
        const struct sg_finding finding = sg_rank_at(listing->rank, i), *f = &finding;
        const bool is_status = sg_is_status(&finding);
        if (!is_of_kind(&finding, listing->kinds) || (is_status && !listing->together) ||
            is_left_out(input, listing, i, &finding))
            continue;
        sg_sheet_row(sheet, sg_class_of(&finding));
        if (of_pairs) {
            PAIRS(SG_CELL)
        } else {
            FINDINGS(SG_CELL, "")
        }
        add_repeats(sheet, listing->rank, i);
        /* A pair with the verdict `within` may have a remark. */
        if ((listing->causes > 0 || of_pairs || is_status) && !is_reported_above(input, &finding) &&
            !is_shared(input, &finding))
            sg_sheet_below(sheet, finding.why);
        if (listing->causes > 0 && may_have_changed(input, &finding))
            add_causes(sheet, input, &finding, listing->causes);
    }
    if (listing->causes > 0 || of_pairs)
        add_shared(document, input, listing);
}

/* Number of consecutive variants of one case, starting at `at`, that lack a result for the same
 * reason. They share a line, except with --verbose. 1 for all other findings. */
static size_t count_alike(const struct sg_report_input *input, const struct sg_listing *listing,
                          size_t at)
{
    const struct sg_finding first = sg_rank_at(listing->rank, at);
    size_t count = 1;
    for (; at + count < listing->to && first.accepted == SG_NOT_MEASURED && !input->verbose;
         count++) {
        const struct sg_finding next = sg_rank_at(listing->rank, at + count);
        if (next.accepted != first.accepted || !sg_is_status(&next) ||
            strcmp(next.family, first.family) != 0 || strcmp(next.case_, first.case_) != 0 ||
            strcmp(next.why, first.why) != 0)
            break;
    }
    return count;
}

static void add_statuses(struct sg_document *document, const struct sg_report_input *input,
                         const struct sg_listing *listing)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "statuses", SG_COLUMNS(status_columns), listing->readers);
    for (size_t i = listing->from, alike = 1; i < listing->to; i += alike) {
        const struct sg_finding finding = sg_rank_at(listing->rank, i);
        alike = 1;
        if (!sg_is_status(&finding))
            continue;
        alike = count_alike(input, listing, i);
        sg_sheet_row(sheet, sg_class_of(&finding));
        sg_sheet_cellf(sheet, "%s/%s", finding.family, finding.case_);
        struct sg_text *variant = sg_sheet_open(sheet);
        sg_text_add(variant, finding.variant);
        if (alike > 1)
            sg_text_addf(variant, " and %zu more", alike - 1);
        add_verdict(sg_sheet_open(sheet), &finding);
        sg_sheet_cell(sheet, finding.why);
    }
}

void sg_add_listing(struct sg_document *document, const struct sg_report_input *input,
                    const struct sg_listing *listing)
{
    if (listing->kinds & SG_MEASURED)
        add_findings(document, input, listing);
    if ((listing->kinds & SG_STATUSES) && !listing->together)
        add_statuses(document, input, listing);
}

#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "plan/knobs.h"
#include "reports/report.h"
#include "reports/tables/ranking.h"
#include "results/item_filter.h"
#include "results/run_reader.h"
#include "results/terms.h"
#include "util/options.h"

#define SG_MOVED_MAX 256 /* counters shown at most: more than metrics.ini has */

struct explain_options {
    const char *run, *of; /* FAMILY/CASE */
    const char *baseline, *candidate;
    const struct sg_format *format;
};

/* ---- which item ---- */

/* Splits FAMILY/CASE; the family is copied into `family`. */
static enum sg_code split_case(const char *argument, char family[64], const char **case_, struct sg_err *err)
{
    const char *slash = strchr(argument, '/');
    const size_t length = slash ? (size_t)(slash - argument) : 0;
    if (length == 0 || length >= 64 || slash[1] == '\0')
        return sg_fail(err, SG_BAD_USAGE, argument, "expected FAMILY/CASE, such as matvec/r4096_c4096_f32");
    memcpy(family, argument, length);
    family[length] = '\0';
    *case_ = slash + 1;
    return SG_SUCCESS;
}

static enum sg_code check_known(const struct sg_run *run, const char *family, const char *case_, const char *variant, struct sg_err *err)
{
    struct sg_filters filters = {0};
    sg_names_add(&filters.families, family);
    sg_names_add(&filters.cases, case_);
    sg_names_add(&filters.variants, variant);
    if (sg_filters_check_table(&filters, &run->table, run->folder, err) == SG_SUCCESS &&
        !sg_table_find(&run->table, family, case_, variant, "status"))
        sg_fail(err, SG_BAD_USAGE, run->folder, "no %s/%s/%s in this run", family, case_, variant);
    sg_filters_release(&filters);
    return err->code;
}

/* ---- the first line ---- */

static const struct sg_row *row_of(const struct sg_diagnosed *what, const char *variant, const char *metric)
{
    return sg_table_find(what->now, what->family, what->case_, variant, metric);
}

static double value_of(const struct sg_row *row)
{
    return row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

static const char *partner_of(const struct sg_diagnosed *what, const char *variant)
{
    return sg_paired_with(what->now, what->family, what->case_, variant);
}

/* Time over that of the variant that both are paired with; NaN: not measured, or paired with
 * another. */
static double ratio_to(const struct sg_diagnosed *what, const char *partner, const char *variant)
{
    const char *own = partner_of(what, variant);
    if (strcmp(variant, partner) == 0)
        return 1.0;
    return own && strcmp(own, partner) == 0 ? value_of(row_of(what, variant, "time_ratio")) : NAN;
}

/* Pairs are with the family's baseline variant; two others are held against each other by what each
 * is to it. */
static void add_headline(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_text line = {0};
    const char *partner = partner_of(what, what->variant);
    if (!partner || strcmp(partner, what->variant) == 0)
        partner = partner_of(what, what->other);
    const double change = partner ? ratio_to(what, partner, what->variant) / ratio_to(what, partner, what->other) - 1.0 : NAN;
    sg_text_addf(&line, "%s/%s: %s against %s", what->family, what->case_, what->variant, what->other);
    if (partner && !isnan(change)) {
        sg_text_add(&line, ", time ");
        sg_add_change(&line, change);
        if (strcmp(partner, what->other) != 0)
            sg_text_addf(&line, ", by what each is to %s", partner);
    }
    sg_document_take_note(document, SG_FOR_ALL, &line);
}

/* A line for a side that came to nothing: what became of it. Returns whether there was one. */
static bool add_failure(struct sg_document *document, const struct sg_diagnosed *what, const char *variant)
{
    const struct sg_row *row = row_of(what, variant, "status");
    if (!row || row->status == SG_OK)
        return false;
    const char *why = sg_table_string(what->now, row->message);
    sg_document_notef(document, SG_FOR_ALL, "%s/%s/%s: %s%s%s", what->family, what->case_, variant,
                      sg_status_word((enum sg_status)row->status), *why ? ": " : "", why);
    return true;
}

/* How the extra time depends on the dimensions of the run's cases, where it is more than that of
 * the variant it is paired with. */
static void add_scalings(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_dimension_series series[SG_MAX_DIMS];
    const struct sg_dimension_series_start start = {what->now, what->family, what->case_, what->variant};
    const char *partner = partner_of(what, what->variant);
    const struct sg_row *ratio = row_of(what, what->variant, "time_ratio");
    if (!partner || strcmp(partner, what->other) != 0 || !ratio || !(ratio->low > 1))
        return;
    const size_t count = sg_dimension_series_find(&start, series);
    for (size_t i = 0; i < count; i++) {
        struct sg_text line = {0};
        sg_add_scaling(&line, &series[i]);
        sg_document_take_note(document, SG_FOR_ALL, &line);
    }
}

/* ---- both sides, counter by counter and fact by fact ---- */

static const struct sg_column counter_columns[] = {
    {.title = "counter"},
    {.title = "unit", .programs = true, .meaning = "of the numbers"},
    {.title = "baseline", .number = true},
    {.title = "candidate", .number = true},
    {.title = "difference", .right = true, .meaning = "turn by turn, where both were counted so"},
    {.title = "meaning", .programs = true, .meaning = "what such a change usually means"},
};
static const struct sg_column fact_columns[] = {
    {.title = "before it runs", .name = "fact"}, {.title = "unit", .programs = true, .meaning = "of the numbers"},
    {.title = "baseline", .number = true},       {.title = "candidate", .number = true},
    {.title = "what it is", .name = "meaning"},
};

static void add_sides(struct sg_sheet *sheet, const char *name, const char *unit, double was, double is)
{
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, name, unit);
    sg_sheet_value(sheet, was, unit);
    sg_sheet_value(sheet, is, unit);
}

static void add_counters(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet = sg_document_sheet(document, "counters", SG_COLUMNS(counter_columns), SG_FOR_ALL);
    struct sg_moved *moved = sg_alloc(SG_MOVED_MAX, sizeof(*moved));
    const size_t count = sg_diagnose(what, moved, SG_MOVED_MAX);
    struct sg_text words = {0};
    for (size_t i = 0; i < count; i++) {
        add_sides(sheet, moved[i].metric->name, moved[i].metric->unit, moved[i].was, moved[i].is);
        sg_add_difference(sg_sheet_open(sheet), &moved[i]);
        sg_sheet_cell(sheet, moved[i].cause);
        sg_sheet_below(sheet, moved[i].cause);
    }
    if (count == 0)
        sg_add_unmoved(&words, what);
    if (count == 0 && words.length == 0)
        sg_text_add(&words, "no counter moved: both sides have none in common (solgate run --metrics=default)");
    sg_document_take_note(document, SG_FOR_ALL, &words);
    sg_add_non_repeatable(&words, what);
    sg_document_take_note(document, SG_FOR_ALL, &words);
    free(moved);
}

static void add_fact(struct sg_sheet *sheet, const struct sg_diagnosed *what, const char *name, const char *unit, const char *meaning)
{
    add_sides(sheet, name, unit, value_of(row_of(what, what->other, name)), value_of(row_of(what, what->variant, name)));
    sg_sheet_cell(sheet, meaning);
}

/* A knob, or a fact of a name that is the family's own? */
static bool is_own(const struct sg_diagnosed *what, const struct sg_row *row)
{
    const struct sg_value value = sg_value_of(what->now, row);
    return (row->has & SG_HAS_VALUE) && sg_is_reported(row) && !sg_is_term(value.metric) &&
           !sg_catalogue_find(what->catalogue, value.metric);
}

/* Of a variant; without those that the side `but` has, too, where it is not NULL. */
static void add_own_facts(struct sg_sheet *sheet, const struct sg_diagnosed *what, const char *variant, const char *but)
{
    const struct sg_row_range span = sg_table_variant(what->now, what->family, what->case_, variant);
    for (size_t i = span.from; i < span.to; i++) {
        const struct sg_value value = sg_value_of(what->now, &what->now->rows[i]);
        const bool is_knob = strncmp(value.metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) == 0;
        if (is_own(what, &what->now->rows[i]) && !(but && row_of(what, but, value.metric)))
            add_fact(sheet, what, value.metric, value.unit, is_knob ? "how it is set; 0: the variant's default" : value.message);
    }
}

/* What the variants report of the case, moved or not: a reader looks for it next. */
static void add_facts(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet = sg_document_sheet(document, "facts", SG_COLUMNS(fact_columns), SG_FOR_ALL);
    for (size_t i = 0; i < what->catalogue->count; i++) {
        const struct sg_metric *metric = &what->catalogue->metrics[i];
        if (metric->source->of_code && (row_of(what, what->other, metric->name) || row_of(what, what->variant, metric->name)))
            add_fact(sheet, what, metric->name, metric->unit, metric->meaning);
    }
    add_own_facts(sheet, what, what->other, what->variant);
    add_own_facts(sheet, what, what->variant, NULL);
}

/* What a row has to say beside its number, if anything. */
static void add_messages(struct sg_document *document, const struct sg_diagnosed *what, const char *variant)
{
    static const char *const said[][2] = {{"note", ":"}, {"kernels", " launches"}};
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        const struct sg_row *row = row_of(what, variant, said[i][0]);
        if (row && row->status == SG_OK && *sg_table_string(what->now, row->message))
            sg_document_notef(document, SG_FOR_ALL, "%s%s %s", variant, said[i][1], sg_table_string(what->now, row->message));
    }
}

static void describe(struct sg_document *document, const struct sg_diagnosed *what)
{
    const bool is_one = strcmp(what->other, what->variant) == 0;
    add_headline(document, what);
    bool failed = add_failure(document, what, what->other);
    if (!is_one)
        failed |= add_failure(document, what, what->variant);
    if (failed) {
        sg_document_note(document, SG_FOR_ALL,
                         "Counters of a variant that is not right explain nothing. What a status means and where to look: docs/guide.md, "
                         "\"Statuses\".");
    } else {
        add_scalings(document, what);
        add_counters(document, what);
    }
    add_facts(document, what);
    add_messages(document, what, what->other);
    if (!is_one)
        add_messages(document, what, what->variant);
}

static enum sg_code explain(const struct explain_options *options, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_catalogue catalogue = {0};
    struct sg_rules *rules = NULL;
    struct sg_document document = {.name = "explain"};
    char family[64];
    const char *case_ = "";

    if (split_case(options->of, family, &case_, err) != SG_SUCCESS)
        goto out;
    if (sg_run_read(options->run, &run, err) != SG_SUCCESS || sg_catalogue_load(&catalogue, err) != SG_SUCCESS ||
        sg_rules_load(&catalogue, &rules, err) != SG_SUCCESS)
        goto out;
    sg_table_add_raw_counters(&run.table, &catalogue);
    if (check_known(&run, family, case_, options->baseline, err) != SG_SUCCESS ||
        check_known(&run, family, case_, options->candidate, err) != SG_SUCCESS)
        goto out;
    const struct sg_diagnosed what = {
        .catalogue = &catalogue,
        .rules = rules,
        .then = &run.table,
        .now = &run.table,
        .family = family,
        .case_ = case_,
        .other = options->baseline,
        .variant = options->candidate,
    };
    describe(&document, &what);
    sg_print_document(&document, options->format, err);
out:
    sg_document_release(&document);
    sg_rules_free(rules);
    sg_catalogue_release(&catalogue);
    sg_run_release(&run);
    return err->code;
}

int sg_cmd_explain(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {SG_FORMAT_OPTION(struct explain_options), {0}};
    static const struct sg_option arguments[] = {
        {.name = "RUN", SG_INTO(struct explain_options, run), .help = SG_RUN_HELP},
        {.name = "FAMILY/CASE", SG_INTO(struct explain_options, of), .help = "such as matvec/r4096_c4096_f32"},
        {.name = "BASELINE", SG_INTO(struct explain_options, baseline), .help = "a variant of the case"},
        {.name = "CANDIDATE", SG_INTO(struct explain_options, candidate), .help = "another variant of the case"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Which counters moved between two variants of a case, and what that usually means, exact counters by their ratio before "
                   "noisy ones; how its extra time goes with a dimension that cases of the run differ in; then what is known of both "
                   "before they run.",
        .notes = "A variant that failed has no counters that explain anything: its status is shown instead.\n\n"
                 "Example: solgate explain night/ matvec/r4096_c4096_f32 vec16_rows scalar_loads",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct explain_options given = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &given, argc, argv, err))
        explain(&given, err);
    return 0;
}

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

/* Pairs are with the family's baseline variant; two others are held against each other by what each
 * is to it. */
static void add_headline(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_text line = {0};
    const char *partner = sg_shared_partner(what);
    sg_text_addf(&line, "%s/%s: %s against %s", what->family, what->case_, what->variant, what->other);
    if (partner && !isnan(what->added)) {
        sg_text_add(&line, ", time ");
        sg_add_change(&line, what->added);
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
    const struct sg_row *ratio = row_of(what, what->variant, "time_ratio");
    const char *partner = sg_row_partner(what->now, ratio);
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

static const struct sg_column cause_columns[] = {
    {.title = "cause"},
    {.title = "points", .number = true, .meaning = "of the time of the baseline; empty: the time is not split"},
    {.title = "+-", .name = "error", .number = true, .unit = "points"},
    {.title = "evidence", .programs = true, .meaning = "what there is more of"},
    {.title = "how", .programs = true, .meaning = "it takes time"},
    {.title = "try", .programs = true},
};
static const struct sg_column place_columns[] = {
    {.title = "place", .meaning = "where the added time is"},
    {.title = "points", .number = true, .meaning = "of the time of the baseline; they add up to what is added"},
    {.title = "+-", .name = "error", .number = true, .unit = "points"},
};
static const struct sg_column counter_columns[] = {
    {.title = "counter"},
    {.title = "unit", .programs = true, .meaning = "of the numbers"},
    {.title = "baseline", .number = true},
    {.title = "candidate", .number = true},
    {.title = "difference", .right = true, .meaning = "turn by turn, where both were counted so"},
    {.title = "meaning", .programs = true, .meaning = "of the counter"},
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

static void add_points(struct sg_sheet *sheet, double points, double error)
{
    sg_add_points(sg_sheet_open(sheet), points, true);
    sg_add_points(sg_sheet_open(sheet), error, false);
}

static void add_cause(struct sg_sheet *sheet, const struct sg_causes *causes, const struct sg_cause *cause)
{
    struct sg_text evidence = {0};
    sg_sheet_row(sheet, SG_ASIDE);
    sg_add_cause_name(sg_sheet_open(sheet), causes, cause);
    add_points(sheet, cause->points, cause->error);
    sg_add_evidence(&evidence, causes, cause);
    sg_sheet_cell(sheet, evidence.data);
    sg_sheet_cell(sheet, cause->mechanism ? cause->mechanism->says : NULL);
    sg_sheet_cell(sheet, cause->mechanism ? cause->mechanism->try_ : NULL);
    if (cause->mechanism)
        sg_sheet_below(sheet, cause->mechanism->says);
    if (cause->mechanism && strlen(sg_text_string(&evidence)) > 0)
        sg_sheet_take_below(sheet, &evidence);
    if (cause->mechanism) {
        struct sg_text words = {0};
        sg_text_addf(&words, "try: %s", cause->mechanism->try_);
        sg_sheet_take_below(sheet, &words);
    }
    sg_text_release(&evidence);
}

/* Largest first; those that are next to nothing are left out. */
static void add_places(struct sg_document *document, const struct sg_found *found)
{
    struct sg_sheet *sheet = sg_document_sheet(document, "places", SG_COLUMNS(place_columns), SG_FOR_ALL);
    bool shown[SG_PLACE_COUNT] = {false};
    for (int at = 0; at >= 0;) {
        at = -1;
        for (int i = 0; i < SG_PLACE_COUNT; i++)
            if (!shown[i] && fabs(found->split.points[i]) >= 0.01 * fabs(found->split.added) &&
                (at < 0 || fabs(found->split.points[i]) > fabs(found->split.points[at])))
                at = i;
        if (at < 0 || found->split.why_not)
            return;
        shown[at] = true;
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, sg_places[at].name);
        add_points(sheet, found->split.points[at], found->error[at]);
    }
}

static void add_causes(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet = sg_document_sheet(document, "causes", SG_COLUMNS(cause_columns), SG_FOR_ALL);
    struct sg_text words = {0};
    struct sg_causes causes = {.against = ""};
    sg_find_causes_of(what, &causes);
    for (size_t i = 0; i < causes.found.count; i++)
        add_cause(sheet, &causes, &causes.found.cause[i]);
    if (causes.found.count == 0)
        sg_add_no_cause(&words, &causes);
    else if (causes.found.split.why_not)
        sg_text_addf(&words, "The time is not split by places, because %s: each of these may be all of it.", causes.found.split.why_not);
    sg_document_take_note(document, SG_FOR_ALL, &words);
    add_places(document, &causes.found);
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
        sg_sheet_cell(sheet, moved[i].metric->meaning);
        sg_sheet_below(sheet, moved[i].metric->meaning);
    }
    if (sg_diagnose_all(what, moved) == 0)
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
        add_causes(document, what);
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
    struct sg_document document = {.name = "explain"};
    char family[64];
    const char *case_ = "";

    if (split_case(options->of, family, &case_, err) != SG_SUCCESS)
        goto out;
    if (sg_run_read(options->run, &run, err) != SG_SUCCESS || sg_catalogue_load(&catalogue, err) != SG_SUCCESS)
        goto out;
    sg_table_add_raw_counters(&run.table, &catalogue);
    if (check_known(&run, family, case_, options->baseline, err) != SG_SUCCESS ||
        check_known(&run, family, case_, options->candidate, err) != SG_SUCCESS)
        goto out;
    struct sg_diagnosed what = {
        .catalogue = &catalogue,
        .gpu = sg_diagnosed_gpu_of(&run.env),
        .then = &run.table,
        .now = &run.table,
        .family = family,
        .case_ = case_,
        .other = options->baseline,
        .variant = options->candidate,
    };
    sg_diagnose_added(&what);
    describe(&document, &what);
    sg_print_document(&document, options->format, err);
out:
    sg_document_release(&document);
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
        .summary =
            "Why one variant of a case is slower than another: causes with their points of the added time, and the places where it is; "
            "how it goes with a dimension that cases of the run differ in; which counters moved, exact ones by their ratio before "
            "noisy ones; then what is known of both before they run.",
        .notes = "A variant that failed has no counters that explain anything: its status is shown instead.\n\n"
                 "Example: solgate explain night/ matvec/r4096_c4096_f32 vec16_rows scalar_loads",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct explain_options given = {.format = sg_format_find("text")};
    if (sg_options_parse(&table, &given, argc, argv, err))
        explain(&given, err);
    return 0;
}

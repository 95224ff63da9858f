/*
 * Why one variant is slower than another, or than what was accepted: causes and places of the added
 * time, counters that changed, and the facts known before both run.
 */
#include "reports/tables/explain.h"

#include <math.h>
#include <string.h>

#include "compare/row.h"
#include "plan/knobs.h"
#include "reports/tables/ranking.h"
#include "results/terms.h"

#define LIMIT_SHOWN 1.0  /* % */
#define PLACE_SHOWN 0.01 /* share of the added time; smaller places are not shown */
#define MOVED_MAX   256  /* maximum number of counters shown; metrics.ini has fewer */

/* `side`: SG_WAS or SG_IS. */
static const struct sg_table *table_of(const struct sg_diagnosed *what, int side)
{
    return side == SG_WAS ? what->then : what->now;
}

static const char *variant_of(const struct sg_diagnosed *what, int side)
{
    return side == SG_WAS ? what->other : what->variant;
}

static const struct sg_row *row_of(const struct sg_diagnosed *what, int side, const char *metric)
{
    return sg_table_find(table_of(what, side), what->family, what->case_, variant_of(what, side),
                         metric);
}

/* Are both sides the same variant of the same run? */
static bool is_one(const struct sg_diagnosed *what)
{
    return what->then == what->now && strcmp(what->other, what->variant) == 0;
}

/* Ratios are relative to the family's baseline variant; two other variants are compared through
 * their ratios. */
void sg_add_explain_headline(struct sg_document *document, const struct sg_diagnosed *what,
                             const char *against)
{
    const char *partner = sg_shared_partner(what);
    struct sg_text line = sg_text_of("%s/%s: %s against %s", SG_NAMES(*what), against);
    if (!isnan(what->added) && (partner || what->then != what->now)) {
        sg_text_add(&line, ", time ");
        sg_add_change(&line, what->added);
        if (partner && strcmp(partner, what->other) != 0)
            sg_text_addf(&line, ", each relative to %s in its own run", partner);
    }
    sg_document_take_note(document, SG_FOR_ALL, &line);
}

/* Adds a line that says why a side failed. Returns false if the side is ok. */
static bool add_failure(struct sg_document *document, const struct sg_diagnosed *what, int side)
{
    const struct sg_row *row = row_of(what, side, "status");
    if (!row || row->status == SG_OK)
        return false;
    const char *why = sg_table_string(table_of(what, side), row->message);
    sg_document_notef(document, SG_FOR_ALL, "%s/%s/%s: %s%s%s", what->family, what->case_,
                      variant_of(what, side), sg_status_word((enum sg_status)row->status),
                      *why ? ": " : "", why);
    return true;
}

static const struct sg_column cause_columns[] = {
    {.title = "cause"},
    {.title = "points",
     .number = true,
     .meaning = "percent of the baseline's time; empty: the time is not split"},
    {.title = "+-", .name = "error", .number = true, .unit = "points"},
    {.title = "evidence", .programs = true, .meaning = "what increased"},
    {.title = "how", .programs = true, .meaning = "how that takes time"},
    {.title = "try", .programs = true},
};
static const struct sg_column place_columns[] = {
    {.title = "place", .meaning = "where the added time is"},
    {.title = "points",
     .number = true,
     .meaning = "percent of the baseline's time; the points sum to the added time"},
    {.title = "+-", .name = "error", .number = true, .unit = "points"},
};
static const struct sg_column limit_columns[] = {
    {.title = "place"},
    {.title = "kind",
     .meaning = "of the time: these shares sum to 100 %; busy: how busy a unit is"},
    {.title = "share", .number = true, .unit = "%", .meaning = "of the cycles"},
};
static const struct sg_column counter_columns[] = {
    {.title = "counter"},
    {.title = "unit", .programs = true, .meaning = "of the numbers"},
    {.title = "baseline", .number = true},
    {.title = "candidate", .number = true},
    {.title = "difference", .right = true, .meaning = "repeat by repeat, if both have repeats"},
    {.title = "meaning", .programs = true, .meaning = "of the counter"},
};
static const struct sg_column fact_columns[] = {
    {.title = "before it runs", .name = "fact"},
    {.title = "unit", .programs = true, .meaning = "of the numbers"},
    {.title = "baseline", .number = true},
    {.title = "candidate", .number = true},
    {.title = "what it is", .name = "meaning"},
};

static void add_sides(struct sg_sheet *sheet, const char *name, const char *unit, double was,
                      double is)
{
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, name, unit);
    const struct sg_metric_shown shown = sg_metric_shown(name, unit);
    sg_sheet_scaled(sheet, was, shown.factor, shown.unit);
    sg_sheet_scaled(sheet, is, shown.factor, shown.unit);
}

static void add_points(struct sg_sheet *sheet, double points, double error)
{
    sg_add_points(sg_sheet_open(sheet), points, true);
    sg_add_points(sg_sheet_open(sheet), error, false);
}

static void add_cause(struct sg_sheet *sheet, const struct sg_causes *causes,
                      const struct sg_cause *cause)
{
    const struct sg_mechanism *mechanism = cause->mechanism;
    SG_SCOPED(sg_text) evidence = {0}, advice = {0};
    sg_sheet_row(sheet, SG_ASIDE);
    sg_add_cause_name(sg_sheet_open(sheet), causes, cause);
    add_points(sheet, cause->points, cause->error);
    sg_add_evidence(&evidence, causes, cause);
    sg_sheet_cells(sheet, evidence.data, mechanism ? mechanism->says : NULL,
                   mechanism ? mechanism->try_ : NULL);
    if (!mechanism)
        return;
    sg_text_addf(&advice, "try: %s", mechanism->try_);
    sg_sheet_below(sheet, mechanism->says);
    sg_sheet_below(sheet, sg_text_string(&evidence));
    sg_sheet_below(sheet, advice.data);
}

/* Largest first; differences below 1 % of the added time are left out. */
static void add_places(struct sg_document *document, const struct sg_found *found)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "places", SG_COLUMNS(place_columns), SG_FOR_ALL);
    const double *points = found->split.points;
    int place[SG_PLACE_COUNT], count = 0;
    for (int i = 0; i < SG_PLACE_COUNT && !found->split.why_not; i++) {
        if (fabs(points[i]) < PLACE_SHOWN * fabs(found->split.added))
            continue;
        int at = count++;
        for (; at > 0 && fabs(points[place[at - 1]]) < fabs(points[i]); at--)
            place[at] = place[at - 1];
        place[at] = i;
    }
    for (int i = 0; i < count; i++) {
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cell(sheet, sg_places[place[i]].name);
        add_points(sheet, points[place[i]], found->error[place[i]]);
    }
}

static void add_causes(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "causes", SG_COLUMNS(cause_columns), SG_FOR_ALL);
    struct sg_text words = {0};
    struct sg_causes causes = {.against = ""};
    sg_find_causes_of(what, &causes);
    for (size_t i = 0; i < causes.found.count; i++)
        add_cause(sheet, &causes, &causes.found.cause[i]);
    if (causes.found.count == 0)
        sg_add_no_cause(&words, &causes);
    else if (causes.found.split.why_not)
        sg_text_addf(&words,
                     "The time is not split by places, because %s: exact counts make the first "
                     "cause the likeliest; it may account for all of the slowdown.",
                     causes.found.split.why_not);
    sg_document_take_note(document, SG_FOR_ALL, &words);
    add_places(document, &causes.found);
}

static void add_counters(struct sg_document *document, const struct sg_diagnosed *what,
                         bool verbose)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "counters", SG_COLUMNS(counter_columns), SG_FOR_ALL);
    SG_FREED struct sg_counter_change *moved = sg_alloc(MOVED_MAX, sizeof(*moved));
    const size_t count = sg_diagnose(what, moved, MOVED_MAX);
    struct sg_text words = {0};
    for (size_t i = 0; i < count; i++) {
        add_sides(sheet, moved[i].metric->name, moved[i].metric->unit, moved[i].was, moved[i].is);
        sg_add_difference(sg_sheet_open(sheet), &moved[i]);
        sg_sheet_cell(sheet, moved[i].metric->meaning);
        if (verbose)
            sg_sheet_below(sheet, moved[i].metric->meaning);
    }
    if (sg_diagnose_all(what, moved) == 0)
        sg_text_add(
            &words,
            "no counter moved: both sides have none in common (solgate run --metrics=default)");
    sg_document_take_note(document, SG_FOR_ALL, &words);
    sg_add_non_repeatable(&words, what);
    sg_document_take_note(document, SG_FOR_ALL, &words);
}

static void add_fact(struct sg_sheet *sheet, const struct sg_diagnosed *what, const char *name,
                     const char *unit, const char *meaning)
{
    add_sides(sheet, name, unit, sg_row_value(row_of(what, SG_WAS, name)),
              sg_row_value(row_of(what, SG_IS, name)));
    sg_sheet_cell(sheet, meaning);
}

/* Is the row a knob, or a fact that only the family defines? */
static bool is_own(const struct sg_diagnosed *what, int side, const struct sg_row *row)
{
    const struct sg_value value = sg_value_of(table_of(what, side), row);
    return (row->has & SG_HAS_VALUE) && sg_is_reported(row) && !sg_is_term(value.metric) &&
           !sg_catalogue_find(what->catalogue, value.metric);
}

/* For SG_WAS, adds only facts that SG_IS lacks. */
static void add_own_facts(struct sg_sheet *sheet, const struct sg_diagnosed *what, int side)
{
    const struct sg_table *table = table_of(what, side);
    const struct sg_row_range span =
        sg_table_variant(table, what->family, what->case_, variant_of(what, side));
    for (size_t i = span.from; i < span.to; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        const bool is_knob = strncmp(value.metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) == 0;
        if (is_own(what, side, &table->rows[i]) &&
            !(side == SG_WAS && row_of(what, SG_IS, value.metric)))
            add_fact(sheet, what, value.metric, value.unit,
                     is_knob ? "how it is set; 0: the variant's default" : value.message);
    }
}

/* Adds all facts that the variants report, changed or not, because readers look for them next. */
static void add_facts(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "facts", SG_COLUMNS(fact_columns), SG_FOR_ALL);
    for (size_t i = 0; i < what->catalogue->count; i++) {
        const struct sg_metric *metric = &what->catalogue->metrics[i];
        if (metric->source->of_code &&
            (row_of(what, SG_WAS, metric->name) || row_of(what, SG_IS, metric->name)))
            add_fact(sheet, what, metric->name, metric->unit, metric->meaning);
    }
    add_own_facts(sheet, what, SG_WAS);
    add_own_facts(sheet, what, SG_IS);
}

static void add_messages(struct sg_document *document, const struct sg_diagnosed *what, int side)
{
    static const char *const said[][2] = {{"note", ":"}, {"kernels", " launches"}};
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        const struct sg_row *row = row_of(what, side, said[i][0]);
        const char *message = row ? sg_table_string(table_of(what, side), row->message) : "";
        if (row && row->status == SG_OK && *message)
            sg_document_notef(document, SG_FOR_ALL, "%s%s %s", variant_of(what, side), said[i][1],
                              message);
    }
}

/* Adds where one variant spends its cycles, and how busy its units are. */
static void add_limits(struct sg_document *document, const struct sg_diagnosed *what)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "limits", SG_COLUMNS(limit_columns), SG_FOR_ALL);
    struct sg_versus sides;
    double percent[SG_PLACE_COUNT];
    sg_diagnose_sides(what, &sides);
    sg_place_shares(&sides, SG_IS, percent);
    for (int i = 0; i < SG_PLACE_COUNT; i++) {
        if (!(percent[i] >= LIMIT_SHOWN))
            continue;
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cells(sheet, sg_places[i].name,
                       i >= SG_AT_TENSOR && i <= SG_AT_L1 ? "busy" : "of the time");
        sg_sheet_value(sheet, percent[i], "%");
    }
    sg_document_note(document, SG_FOR_ALL,
                     sheet->row_count > 0
                         ? "Shares of the time add up to 100 %; shares under 1 % are left out. "
                           "Units are busy at the same time."
                         : "its cycles were not counted (solgate run --metrics=default)");
}

void sg_add_explanation(struct sg_document *document, const struct sg_diagnosed *what, bool limits,
                        bool verbose)
{
    const int first = is_one(what) ? SG_IS : SG_WAS;
    bool failed = false;
    for (int side = first; side <= SG_IS; side++)
        failed |= add_failure(document, what, side);
    if (failed) {
        sg_document_note(document, SG_FOR_ALL,
                         "Counters of a variant that is not right explain nothing. What a status "
                         "means and where to look: docs/verdicts.md, \"Statuses\".");
    } else if (limits) {
        add_limits(document, what);
    } else {
        add_causes(document, what);
        add_counters(document, what, verbose);
    }
    if (!limits)
        add_facts(document, what);
    for (int side = first; side <= SG_IS; side++)
        add_messages(document, what, side);
}

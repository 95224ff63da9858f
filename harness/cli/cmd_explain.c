#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "plan/knobs.h"
#include "reports/report.h"
#include "reports/tables/ranking.h"
#include "reports/sheet.h"
#include "results/run_reader.h"
#include "results/run_writer.h"
#include "results/terms.h"
#include "util/escape.h"
#include "util/options.h"

#define SG_MOVED_MAX 256 /* counters shown at most: more than metrics.ini has */

struct explain_options {
    const char *run, *of; /* FAMILY/CASE */
    const char *baseline, *candidate;
};

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

/* What the run has that begins like the wrong name: variants of the case, or cases of the
 * family, or what families there are. */
static void add_known(const struct sg_table *table, const char *family, const char *case_, struct sg_text *known)
{
    const sg_id in_family = sg_table_find_id(table, family), in_case = sg_table_find_id(table, case_);
    bool has_family = false, has_case = false;
    for (size_t i = 0; i < table->count; i++) {
        has_family |= table->rows[i].family == in_family;
        has_case |= table->rows[i].family == in_family && table->rows[i].case_ == in_case;
    }
    sg_id last = UINT32_MAX;
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        const sg_id name = has_case ? row->variant : has_family ? row->case_ : row->family;
        if ((has_family && row->family != in_family) || (has_case && row->case_ != in_case) || name == last)
            continue;
        sg_text_addf(known, "%s%s", known->length > 0 ? ", " : "", sg_table_string(table, name));
        last = name;
    }
}

static enum sg_code check_known(const struct sg_run *run, const char *family, const char *case_, const char *variant, struct sg_err *err)
{
    struct sg_text known = {0};
    if (sg_table_find(&run->table, family, case_, variant, "status"))
        return SG_SUCCESS;
    add_known(&run->table, family, case_, &known);
    sg_fail(err, SG_BAD_USAGE, run->folder, "no %s/%s/%s in this run; known: %s", family, case_, variant, sg_text_string(&known));
    sg_text_release(&known);
    return err->code;
}

static void add_value_cell(struct sg_sheet *grid, double value, const char *unit)
{
    struct sg_text cell = {0};
    sg_add_value(&cell, value, unit);
    sg_sheet_cell(grid, sg_text_string(&cell));
    sg_text_release(&cell);
}

static void add_difference_cell(struct sg_sheet *grid, const struct sg_moved *moved)
{
    struct sg_text cell = {0};
    sg_add_difference(&cell, moved);
    sg_sheet_cell(grid, sg_text_string(&cell));
    sg_text_release(&cell);
}

static void add_unmoved(struct sg_text *text, const struct sg_diagnosed *what)
{
    struct sg_text why = {0};
    sg_add_unmoved(&why, what);
    if (why.length > 0)
        sg_text_add(&why, "; ");
    sg_add_looked_at(&why, what);
    sg_add_wrapped(text, why.length > 0 ? why.data : "no counter moved: both sides have none in common (solgate run --metrics=default)", 0,
                   2);
    sg_text_add(text, "\n");
    sg_text_release(&why);
}

static void add_non_repeatable(struct sg_text *text, const struct sg_diagnosed *what)
{
    struct sg_text names = {0};
    sg_add_non_repeatable(&names, what);
    if (names.length > 0) {
        sg_add_wrapped(text, names.data, 0, 2);
        sg_text_add(text, "\n");
    }
    sg_text_release(&names);
}

static void add_moved(struct sg_text *text, const struct sg_moved *moved, size_t count)
{
    static const struct sg_column columns[] = {
        {.title = "counter"},
        {.title = "baseline", .right = true},
        {.title = "candidate", .right = true},
        {.title = "difference", .right = true},
    };
    struct sg_sheet grid;
    sg_sheet_init(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < count; i++) {
        sg_sheet_row(&grid, SG_ASIDE);
        sg_sheet_cell(&grid, moved[i].metric->name);
        add_value_cell(&grid, moved[i].was, moved[i].metric->unit);
        add_value_cell(&grid, moved[i].is, moved[i].metric->unit);
        add_difference_cell(&grid, &moved[i]);
        sg_sheet_below(&grid, moved[i].cause);
    }
    sg_sheet_text(&grid, false, text);
    sg_sheet_release(&grid);
}

static const struct sg_row *row_of(const struct sg_diagnosed *what, const char *variant, const char *metric)
{
    return sg_table_find(what->now, what->family, what->case_, variant, metric);
}

static bool is_knob(const struct sg_value *value)
{
    return strncmp(value->metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) == 0;
}

/* The value of both sides of a row that metrics.ini does not know. */
static void add_own_line(struct sg_sheet *grid, const struct sg_diagnosed *what, const struct sg_value *value)
{
    const struct sg_row *row[2] = {row_of(what, what->other, value->metric), row_of(what, what->variant, value->metric)};
    sg_sheet_row(grid, SG_ASIDE);
    sg_sheet_cell(grid, value->metric);
    for (size_t side = 0; side < 2; side++)
        add_value_cell(grid, row[side] && (row[side]->has & SG_HAS_VALUE) ? row[side]->value : NAN, value->unit);
    sg_sheet_cell(grid, is_knob(value) ? "how it is set; 0: the variant's default" : value->message);
}

/* Knobs, and facts of names that are the family's own: once for each that one of the sides has. */
static size_t add_own(struct sg_sheet *grid, const struct sg_diagnosed *what)
{
    size_t count = 0;
    for (size_t i = 0; i < what->now->count; i++) {
        const struct sg_row *row = &what->now->rows[i];
        const struct sg_value value = sg_value_of(what->now, row);
        const bool is_own = strcmp(value.variant, what->variant) == 0, is_other = strcmp(value.variant, what->other) == 0;
        const bool is_of_case = strcmp(value.case_, what->case_) == 0 && strcmp(value.family, what->family) == 0;
        const bool is_known = sg_catalogue_find(what->catalogue, value.metric) != NULL;
        if (!is_of_case || is_known || sg_is_term(value.metric) || !sg_is_reported(row) || !(row->has & SG_HAS_VALUE) ||
            !(is_own || (is_other && !row_of(what, what->variant, value.metric))))
            continue;
        add_own_line(grid, what, &value);
        count++;
    }
    return count;
}

/* What the variants say of the case, moved or not: it is what a reader asks for next. */
static void add_facts(struct sg_text *text, const struct sg_diagnosed *what)
{
    static const struct sg_column columns[] = {
        {.title = "before it runs"},
        {.title = "baseline", .right = true},
        {.title = "candidate", .right = true},
        {.title = "what it is"},
    };
    struct sg_sheet grid;
    size_t count = 0;
    sg_sheet_init(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < what->catalogue->count; i++) {
        const struct sg_metric *metric = &what->catalogue->metrics[i];
        const struct sg_row *row[2] = {row_of(what, what->other, metric->name), row_of(what, what->variant, metric->name)};
        if (!metric->source->of_code || (!row[0] && !row[1]))
            continue;
        sg_sheet_row(&grid, SG_ASIDE);
        sg_sheet_cell(&grid, metric->name);
        for (size_t side = 0; side < 2; side++)
            add_value_cell(&grid, row[side] && (row[side]->has & SG_HAS_VALUE) ? row[side]->value : NAN, metric->unit);
        sg_sheet_cell(&grid, metric->meaning);
        count++;
    }
    count += add_own(&grid, what);
    if (count > 0) {
        sg_text_add(text, "\n");
        sg_sheet_text(&grid, false, text);
    }
    sg_sheet_release(&grid);
}

/* What a row has to say beside its number, if anything. */
static void add_message(struct sg_text *text, const struct sg_diagnosed *what, const char *variant, const char *metric, const char *verb)
{
    const struct sg_row *row = row_of(what, variant, metric);
    if (!row || row->status != SG_OK || !*sg_table_string(what->now, row->message))
        return;
    sg_text_addf(text, "\n%s%s ", variant, verb);
    sg_add_terminal(text, sg_table_string(what->now, row->message));
    sg_text_add(text, "\n");
}

static void add_notes(struct sg_text *text, const struct sg_diagnosed *what, const char *variant)
{
    add_message(text, what, variant, "note", ":");
    add_message(text, what, variant, "kernels", " launches");
}

/* Time over that of the variant that both are paired with; NaN: not
 * measured, or paired with another. */
static double ratio_to(const char *partner, const struct sg_table *table, const char *const names[3])
{
    if (strcmp(names[2], partner) == 0)
        return 1.0;
    const char *own = sg_paired_with(table, names[0], names[1], names[2]);
    const struct sg_row *row = sg_table_find(table, names[0], names[1], names[2], "time_ratio");
    return own && strcmp(own, partner) == 0 && row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

/* Pairs are with the family's baseline variant; two others are held against
 * each other by what each is to it. */
static void add_time(const struct sg_diagnosed *what, struct sg_text *text)
{
    const char *const then[] = {what->family, what->case_, what->other}, *const now[] = {what->family, what->case_, what->variant};
    const char *partner = sg_paired_with(what->now, now[0], now[1], now[2]);
    if (!partner || strcmp(partner, what->variant) == 0)
        partner = sg_paired_with(what->then, then[0], then[1], then[2]);
    if (!partner)
        return;
    const double change = ratio_to(partner, what->now, now) / ratio_to(partner, what->then, then) - 1.0;
    if (isnan(change))
        return;
    sg_text_add(text, ", time ");
    sg_add_change(text, change);
    if (strcmp(partner, what->other) != 0) {
        sg_text_add(text, ", by what each is to ");
        sg_add_terminal(text, partner);
    }
}

/* How that time depends on the dimensions of the run's cases, where it is more than that
 * of the variant it is paired with. */
static void add_scalings(const struct sg_diagnosed *what, struct sg_text *text)
{
    struct sg_dimension_series series[SG_MAX_DIMS];
    const struct sg_dimension_series_start start = {what->now, what->family, what->case_, what->variant};
    const char *partner = sg_paired_with(what->now, what->family, what->case_, what->variant);
    const struct sg_row *ratio = row_of(what, what->variant, "time_ratio");
    if (!partner || strcmp(partner, what->other) != 0 || !ratio || !(ratio->low > 1))
        return;
    const size_t count = sg_dimension_series_find(&start, series);
    for (size_t i = 0; i < count; i++) {
        struct sg_text line = {0};
        sg_add_scaling(&line, &series[i]);
        sg_add_wrapped(text, line.data, 0, 2);
        sg_text_add(text, i + 1 < count ? "\n" : "\n\n");
        sg_text_release(&line);
    }
}

/* A line for a side that came to nothing: what became of it. Returns whether there was one. */
static bool add_failure(const struct sg_diagnosed *what, const char *variant, struct sg_text *text)
{
    const struct sg_row *row = sg_table_find(what->now, what->family, what->case_, variant, "status");
    if (!row || row->status == SG_OK)
        return false;
    sg_text_addf(text, "%s/%s/%s: %s", what->family, what->case_, variant, sg_status_word((enum sg_status)row->status));
    if (*sg_table_string(what->now, row->message)) {
        sg_text_add(text, ": ");
        sg_add_terminal(text, sg_table_string(what->now, row->message));
    }
    sg_text_add(text, "\n");
    return true;
}

static void describe(const struct sg_diagnosed *what, struct sg_text *text)
{
    sg_text_addf(text, "%s/%s: %s against %s", what->family, what->case_, what->variant, what->other);
    add_time(what, text);
    sg_text_add(text, "\n\n");
    bool failed = add_failure(what, what->other, text);
    if (strcmp(what->other, what->variant) != 0)
        failed |= add_failure(what, what->variant, text);
    if (failed) {
        sg_text_add(text, "Counters of a variant that is not right explain nothing. What a status means and where to look: docs/guide.md, "
                          "\"Statuses\".\n");
        return;
    }
    add_scalings(what, text);
    struct sg_moved *moved = sg_alloc(SG_MOVED_MAX, sizeof(*moved));
    const size_t count = sg_diagnose(what, moved, SG_MOVED_MAX);
    if (count == 0)
        add_unmoved(text, what);
    else
        add_moved(text, moved, count);
    free(moved);
    add_non_repeatable(text, what);
}

static enum sg_code explain(const struct explain_options *options, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_catalogue catalogue = {0};
    struct sg_rules *rules = NULL;
    struct sg_text text = {0};
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
    describe(&what, &text);
    add_facts(&text, &what);
    add_notes(&text, &what, what.other);
    if (strcmp(what.other, what.variant) != 0)
        add_notes(&text, &what, what.variant);
    sg_print(&text, err);
out:
    sg_text_release(&text);
    sg_rules_free(rules);
    sg_catalogue_release(&catalogue);
    sg_run_release(&run);
    return err->code;
}

int sg_cmd_explain(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option arguments[] = {
        {.name = "RUN", SG_INTO(struct explain_options, run), .help = SG_RUN_HELP},
        {.name = "FAMILY/CASE", SG_INTO(struct explain_options, of), .help = "such as matvec/r4096_c4096_f32"},
        {.name = "BASELINE", SG_INTO(struct explain_options, baseline), .help = "a variant of the case"},
        {.name = "CANDIDATE", SG_INTO(struct explain_options, candidate), .help = "another variant of the case"},
        {0},
    };
    static const struct sg_options table = {
        .arguments = arguments,
        .summary = "Which counters moved between two variants of a case, and what that usually means, exact counters by their ratio before "
                   "noisy ones; "
                   "how its extra time goes with a dimension that cases of the run differ in; then what is known of both before they run.",
        .notes = "A variant that failed has no counters that explain anything: its status is shown instead.\n\n"
                 "Example: solgate explain night/ matvec/r4096_c4096_f32 vec16_rows scalar_loads",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct explain_options given = {.run = NULL};
    if (sg_options_parse(&table, &given, argc, argv, err))
        explain(&given, err);
    return 0;
}

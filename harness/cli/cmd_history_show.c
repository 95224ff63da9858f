#include "cli/cmd_history.h"

#include <math.h>
#include <string.h>

#include "reports/charts/charts.h"
#include "reports/report.h"
#include "util/file.h"

#define SHOWN_DIGITS 6

struct input {
    const char *folder, *group, *series, *chart;
    const struct sg_format *format;
};

struct shown {
    const struct input *in;
    const struct sg_catalogue *catalogue;
    struct sg_document document;
    struct sg_sheet *rows; /* series of all groups, or the runs of one series */
    size_t series_count;
};

/* ---- one series ---- */

static const struct sg_column night_columns[] = {
    {.title = "group", .meaning = "GPU model and suite", .spare = true},
    {.title = "series", .meaning = "FAMILY/CASE/VARIANT", .spare = true},
    {.title = "of", .meaning = "kind of the values: build, ratio or time (ns at one clock)"},
    {.title = "date"},
    {.title = "commit"},
    {.title = "gpu", .meaning = "hash of its UUID"},
    {.title = "driver"},
    {.title = "status"},
    {.title = "value", .number = true},
    {.title = "se", .meaning = "its standard error, ln", .number = true, .unit = "1"},
    {.title = "step",
     .meaning = "the change - 1 in the first run after it",
     .number = true,
     .unit = "1"},
    {.title = "counters", .meaning = "the exact ones", .spare = true},
    {.title = "build", .meaning = "the accepted build that `value` is against"},
    {.title = "note", .meaning = "bad night: many series were off at once, in both directions"},
};

/* The change of the step at a nightly run; NaN: none. */
static double step_at(const struct sg_history_series *series, size_t night)
{
    for (size_t i = 0; i < series->steps.count; i++)
        if (series->steps.steps[i].at == night)
            return expm1(series->steps.steps[i].change);
    return NAN;
}

/* The value in its own unit: a time at one clock, or a ratio relative to that run's reference. */
static double read_of(const struct sg_history_series *series, size_t night)
{
    return exp(series->values[night].value -
               (series->kinds[night] == SG_OF_BUILD ? series->shift[night] : 0));
}

static void add_night(struct sg_sheet *sheet, const struct sg_judgement *j, size_t s,
                      const char *group, size_t night)
{
    const struct sg_history *history = j->history;
    const struct sg_history_series *series = &j->series[s];
    const struct sg_night_row *row = sg_series_row(history, series, night);
    if (!row)
        return;
    const double se = series->values[night].se;
    sg_sheet_row(sheet, j->is_bad[night] ? SG_YELLOW : SG_ASIDE);
    sg_sheet_cells(
        sheet, group, sg_history_item(j, s), sg_history_kind_word(series->kinds[night]),
        sg_night_fact(history, night, SG_NIGHT_DATE), sg_series_commit(history, series, night),
        sg_night_fact(history, night, SG_NIGHT_UNIT), sg_night_fact(history, night, "driver"),
        sg_intern_pool_string(history->pool, row->status));
    sg_sheet_numbers(sheet, sg_round_digits(read_of(series, night), SHOWN_DIGITS),
                     sg_round_digits(se > 0 ? se : NAN, SHOWN_DIGITS),
                     sg_round_digits(step_at(series, night), SHOWN_DIGITS));
    sg_sheet_cells(
        sheet, sg_intern_pool_string(history->pool, row->counters),
        series->kinds[night] == SG_OF_BUILD ? sg_intern_pool_string(history->pool, row->build) : "",
        j->is_bad[night] ? "bad night" : "");
}

/* Adds "step 2026-02-13 +1.02 % [+0.90, +1.14], accepted; commits abc1234..def5678". */
static void note_step(struct sg_document *document, const struct sg_judgement *j,
                      const struct sg_history_series *series, const struct sg_series_step *step)
{
    const int decided = series->decided[step->at];
    const struct sg_step_commits commits = sg_step_commits_of(j->history, series, step);
    SG_FORMATTED(line, "step %s ", sg_night_label(j->history, step->at).text);
    sg_add_step_change(&line, step);
    if (step->earliest < step->latest)
        sg_text_addf(&line, ", between %s and %s", sg_night_label(j->history, step->earliest).text,
                     sg_night_label(j->history, step->latest).text);
    sg_text_addf(&line, ", %s%s", decided > 0 ? sg_decided_word(decided) : "open",
                 step->counts ? "" : ", too small to count");
    sg_add_step_commits(&line, &commits);
    sg_document_note(document, SG_FOR_ALL, line.data);
}

static void note_counters(struct shown *s, const struct sg_judgement *j,
                          const struct sg_history_series *series)
{
    for (size_t night = 0; night < j->history->count; night++) {
        SG_SCOPED(sg_names) changes = {0};
        sg_night_counter_changes(j->history, series, s->catalogue, night, &changes);
        for (size_t i = 0; i < changes.count; i++)
            sg_document_notef(&s->document, SG_FOR_ALL, "counter %s %s",
                              sg_night_label(j->history, night).text, changes.items[i]);
    }
}

/* Notes follow the sheet, because a terminal shows the end first. */
static void add_series(struct shown *s, const struct sg_judgement *j, size_t number,
                       const char *group)
{
    const struct sg_history_series *series = &j->series[number];
    const struct sg_series_steps *steps = &series->steps;
    const double r = j->correlation[j->history->count - 1];
    for (size_t night = 0; night < j->history->count; night++)
        add_night(s->rows, j, number, group, night);
    sg_document_notef(&s->document, SG_FOR_ALL,
                      "%s: %s %s, %zu nightly run%s, between runs +- %.3f %%", group,
                      sg_history_item(j, number), sg_history_kind_word(series->kind),
                      j->history->count, SG_PLURAL(j->history->count), 100 * steps->night_sd);
    if (r >= SG_CORRELATION_SHOWN)
        sg_document_notef(&s->document, SG_FOR_ALL, SG_CORRELATION_NOTE, r);
    for (size_t i = 0; i < steps->count; i++)
        note_step(&s->document, j, series, &steps->steps[i]);
    if (!isnan(steps->creep))
        sg_document_notef(&s->document, SG_FOR_ALL,
                          "against the epoch, %s: %+.2f %% [%+.2f, %+.2f]",
                          sg_night_label(j->history, steps->epoch).text, 100 * expm1(steps->creep),
                          100 * expm1(steps->creep_low), 100 * expm1(steps->creep_high));
    note_counters(s, j, series);
}

static enum sg_code draw(const struct input *in, const struct sg_judgement *j, size_t number,
                         const char *group, struct sg_err *err)
{
    struct sg_charts charts = {0};
    sg_chart_trend(j, group, number, &charts);
    if (charts.count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "--chart: expected times of at least three nightly runs, found fewer in %s",
                       sg_history_item(j, number));
    SG_FORMATTED(caption, "%s Shown: %s.", charts.items[0].read, charts.items[0].shown);
    if (sg_make_folders(in->chart, err) == SG_SUCCESS &&
        sg_gnuplot_check_letters(err) == SG_SUCCESS)
        sg_chart_draw(&charts.items[0], in->chart, caption.data, err);
    return err->code;
}

/* ---- all series ---- */

static const struct sg_column series_columns[] = {
    {.title = "group", .meaning = "GPU model and suite"},
    {.title = "series", .meaning = "FAMILY/CASE/VARIANT"},
    {.title = "of", .meaning = "kind of the last value: build, ratio or time"},
    {.title = "nights", .meaning = "of the group", .number = true, .unit = "1"},
    {.title = "steps", .number = true, .unit = "1"},
    {.title = "night_sd", .meaning = "between runs, ln", .number = true, .unit = "1"},
};

static void add_list(struct sg_sheet *sheet, const struct sg_judgement *j, const char *group)
{
    for (size_t s = 0; s < j->count; s++) {
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cells(sheet, group, sg_history_item(j, s),
                       sg_history_kind_word(j->series[s].kind));
        sg_sheet_numbers(sheet, (double)j->history->count, (double)j->series[s].steps.count);
        sg_sheet_scaled(sheet, j->series[s].steps.night_sd, 100, "%");
    }
}

static enum sg_code show_group(void *context, const char *group, const struct sg_history *history,
                               struct sg_err *err)
{
    struct shown *s = context;
    struct sg_judgement judgement = {0};
    if (history->rows.count == 0)
        return SG_SUCCESS;
    sg_history_judge(history, &(struct sg_history_rule){.tolerance = SG_HISTORY_TOLERANCE},
                     &judgement);
    size_t number = 0;
    while (s->in->series && number < judgement.count &&
           strcmp(sg_history_item(&judgement, number), s->in->series) != 0)
        number++;
    if (!s->in->series)
        add_list(s->rows, &judgement, group);
    else if (number < judgement.count)
        add_series(s, &judgement, number, group);
    s->series_count += s->in->series ? number < judgement.count : judgement.count;
    if (s->in->chart && s->series_count > 1)
        sg_fail(err, SG_BAD_USAGE, "--chart",
                "expected a series of one group, found it in %s too: choose one with --group",
                group);
    else if (s->in->chart && number < judgement.count)
        draw(s->in, &judgement, number, group, err);
    return err->code;
}

static enum sg_code show(const struct input *in, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    const struct sg_history_wanted wanted = {.folder = in->folder, .group = in->group, .all = true};
    struct shown s = {.in = in, .catalogue = &catalogue, .document = {.name = "history show"}};
    s.rows = in->series
                 ? sg_document_sheet(&s.document, "nights", SG_COLUMNS(night_columns), SG_FOR_ALL)
                 : sg_document_sheet(&s.document, "series", SG_COLUMNS(series_columns), SG_FOR_ALL);
    if (sg_catalogue_load(&catalogue, err) == SG_SUCCESS &&
        sg_history_each(&wanted, show_group, &s, err) == SG_SUCCESS && s.series_count == 0)
        sg_fail(err, SG_BAD_INPUT, in->folder,
                "expected a series of this history, found '%s'; `solgate history show` lists them",
                in->series ? sg_show_string(in->series).text : "none");
    if (err->code == SG_SUCCESS)
        sg_print_document(&s.document, in->format, err);
    return err->code;
}

int sg_cmd_history_show(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, folder),
        SG_GROUP_OPTION(struct input),
        SG_VALUE("chart", "DIR", struct input, chart,
                 .help = "draw SERIES there, as trend_SERIES.png and .svg, by gnuplot",
                 .standard = ""),
        SG_FORMAT_OPTION(struct input),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("SERIES", struct input, series, .help = "FAMILY/CASE/VARIANT",
                                  .optional = true)},
        .usage = "[SERIES [--chart=DIR]]",
        .summary = "Shows a series of a history: its values, steps and changed exact counters; "
                   "without an argument, lists all series.",
        .notes = "`se` is the standard error of a value. `bad night`: many series were off at "
                 "once, in both directions. `build`: the ratio "
                 "is to the accepted build of that digest.\n\n"
                 "Example: solgate history show matvec/r64_c64_f32/warp_per_row --chart=charts",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct input in = {.folder = sg_history_folder(), .format = sg_format_find("text")};
    if (!sg_options_parse(&table, &in, argc, argv, err))
        return 0;
    if (in.chart && !in.series)
        sg_fail(err, SG_BAD_USAGE, NULL,
                "--chart: expected a SERIES to draw; `solgate history report` draws all that have "
                "a step");
    else
        show(&in, err);
    return 0;
}

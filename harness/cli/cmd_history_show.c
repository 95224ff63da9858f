#include "cli/cmd_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history_commits.h"
#include "reports/charts/charts.h"
#include "reports/charts/gnuplot.h"
#include "util/csv_reader.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/number_format.h"

#define UUID_SHOWN   8
#define BUILD_SHOWN  8
#define NIGHTS_SHOWN 30

struct input {
    const char *folder, *group, *series, *chart;
    unsigned nights;
    bool csv;
    struct sg_catalogue catalogue;
};

static const char *name_of(const struct sg_judgement *j, size_t series)
{
    return sg_intern_pool_string(j->history->pool, j->series[series].item);
}

/* Number of the step at a night, from 1; 0: none. */
static size_t step_at(const struct sg_history_series *series, size_t night)
{
    for (size_t i = 0; i < series->steps.count; i++)
        if (series->steps.steps[i].at == night)
            return i + 1;
    return 0;
}

/* ---- one series ---- */

static const struct sg_night_row *row_at(const struct sg_judgement *j, const struct sg_history_series *series, size_t night)
{
    return series->row[night] == SG_NO_ROW ? NULL : &j->history->rows.items[series->row[night]];
}

static void add_steps(struct sg_text *out, const struct sg_judgement *j, const struct sg_history_series *series)
{
    for (size_t i = 0; i < series->steps.count; i++) {
        const struct sg_series_step *step = &series->steps.steps[i];
        const int decided = series->decided[step->at];
        sg_text_addf(out, "  step %s  ", sg_night_label(j->history, step->at).text);
        sg_add_step_change(out, step);
        if (step->earliest < step->latest)
            sg_text_addf(out, ", between %s and %s", sg_night_label(j->history, step->earliest).text,
                         sg_night_label(j->history, step->latest).text);
        sg_text_addf(out, ", %s%s", decided > 0 ? sg_decided_word(decided) : "open", step->counts ? "" : ", too small to count");
        const struct sg_step_commits commits = sg_step_commits_of(j->history, series, step);
        sg_add_step_commits(out, &commits);
        sg_text_add(out, "\n");
    }
    if (!isnan(series->steps.creep))
        sg_text_addf(out, "  against the epoch, %s: %+.2f %% [%+.2f, %+.2f]\n", sg_night_label(j->history, series->steps.epoch).text,
                     100 * expm1(series->steps.creep), 100 * expm1(series->steps.creep_low), 100 * expm1(series->steps.creep_high));
}

static void add_counters(struct sg_text *out, const struct input *in, const struct sg_judgement *j, const struct sg_history_series *series)
{
    for (size_t night = 0; night < j->history->count; night++) {
        struct sg_names changes = {0};
        sg_night_counter_changes(j->history, series, &in->catalogue, night, &changes);
        for (size_t i = 0; i < changes.count; i++) {
            sg_text_addf(out, "  counter %s  ", sg_night_label(j->history, night).text);
            sg_add_terminal(out, changes.items[i]);
            sg_text_add(out, "\n");
        }
        sg_names_release(&changes);
    }
}

/* In its own unit: a time at one clock, a ratio against what the night has it. */
static double read_of(const struct sg_history_series *series, size_t night)
{
    return exp(series->values[night].value - (series->kinds[night] == SG_OF_BUILD ? series->shift[night] : 0));
}

static void add_night(struct sg_text *out, const struct sg_judgement *j, const struct sg_history_series *series, size_t night)
{
    const struct sg_night_row *row = row_at(j, series, night);
    const struct sg_night_value *value = &series->values[night];
    const bool is_time = series->kinds[night] == SG_OF_TIME, is_build = series->kinds[night] == SG_OF_BUILD;
    struct sg_text number = {0};
    if (!row)
        return;
    if (isnan(value->value))
        sg_text_add(&number, "-");
    else
        sg_add_value(&number, read_of(series, night), is_time ? "ns" : "1");
    sg_text_addf(out, "  %s  %-12.12s %-8.*s %-12.12s %-10s %12s", sg_night_label(j->history, night).text,
                 sg_series_commit(j->history, series, night), UUID_SHOWN, sg_night_fact(j->history, night, "gpu_uuid_hash"),
                 sg_night_fact(j->history, night, "driver"), sg_intern_pool_string(j->history->pool, row->status), sg_text_string(&number));
    if (value->se > 0)
        sg_text_addf(out, "  +- %.3f %%", 100 * value->se);
    if (is_build)
        sg_text_addf(out, "  build %.*s", BUILD_SHOWN, sg_intern_pool_string(j->history->pool, row->build));
    else if (series->kind == SG_OF_BUILD && !isnan(value->value))
        sg_text_addf(out, "  %s", sg_history_kind_word(series->kinds[night]));
    sg_text_add(out, step_at(series, night) > 0 ? "  step\n" : j->is_bad[night] ? "  bad night\n" : "\n");
    sg_text_release(&number);
}

static void add_series_text(struct sg_text *out, const struct input *in, const struct sg_judgement *j, const char *group)
{
    const struct sg_history_series *series = &j->series[0];
    const size_t nights = j->history->count;
    sg_text_addf(out, "%s: %s %s, %zu nights", group, name_of(j, 0), sg_history_kind_word(series->kind), nights);
    if (!isnan(series->steps.night_sd))
        sg_text_addf(out, ", between nights +- %.3f %%", 100 * series->steps.night_sd);
    sg_text_add(out, "\n");
    add_steps(out, j, series);
    add_counters(out, in, j, series);
    for (size_t night = nights > in->nights ? nights - in->nights : 0; night < nights; night++)
        add_night(out, j, series, night);
}

static void add_number(struct sg_text *out, double value)
{
    sg_text_add(out, ",");
    if (!isnan(value))
        sg_text_add_number(out, value, 9);
}

static void add_series_csv(struct sg_text *out, const struct sg_judgement *j, const char *group)
{
    static const char *const facts[] = {"gpu_uuid_hash", "driver"};
    const struct sg_history_series *series = &j->series[0];
    for (size_t night = 0; night < j->history->count; night++) {
        const struct sg_night_row *row = row_at(j, series, night);
        const size_t step = step_at(series, night);
        if (!row)
            continue;
        sg_text_addf(out, "%s,%s,%s,%s,", group, name_of(j, 0), sg_history_kind_word(series->kinds[night]),
                     sg_night_fact(j->history, night, SG_NIGHT_DATE));
        sg_csv_add_field(out, sg_series_commit(j->history, series, night));
        for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
            sg_text_add(out, ",");
            sg_csv_add_field(out, sg_night_fact(j->history, night, facts[i]));
        }
        sg_text_addf(out, ",%s", sg_intern_pool_string(j->history->pool, row->status));
        add_number(out, read_of(series, night));
        add_number(out, series->values[night].se > 0 ? series->values[night].se : NAN);
        add_number(out, step > 0 ? expm1(series->steps.steps[step - 1].change) : NAN);
        sg_text_add(out, ",");
        sg_csv_add_field(out, sg_intern_pool_string(j->history->pool, row->counters));
        sg_text_addf(out, ",%s\n", series->kinds[night] == SG_OF_BUILD ? sg_intern_pool_string(j->history->pool, row->build) : "");
    }
}

static enum sg_code draw(const struct input *in, const struct sg_judgement *j, const char *group, struct sg_err *err)
{
    struct sg_chart chart;
    struct sg_text caption = {0}, title = {0};
    sg_chart_trend(j, 0, &chart);
    sg_text_addf(&title, "%s  (%s)", chart.title, group);
    sg_text_addf(&caption, "%s Nights: %zu. Steps: %zu.", chart.read, j->history->count, j->series[0].steps.count);
    chart.title = title.data;
    if (sg_make_folders(in->chart, err) == SG_SUCCESS && sg_gnuplot_check_letters(err) == SG_SUCCESS)
        sg_chart_draw(&chart, in->chart, caption.data, err);
    sg_text_release(&chart.data);
    sg_text_release(&chart.legend);
    sg_text_release(&caption);
    sg_text_release(&title);
    return err->code;
}

/* ---- all of them ---- */

static void add_list(struct sg_text *out, const struct input *in, const struct sg_judgement *j, const char *group)
{
    if (!in->csv)
        sg_text_addf(out, "%s: %zu nights, %zu series\n", group, j->history->count, j->count);
    for (size_t s = 0; s < j->count; s++) {
        const struct sg_history_series *series = &j->series[s];
        const char *form = in->csv ? "%s,%s,%s,%zu," : "  %.0s%-60s %-6s  steps %zu";
        sg_text_addf(out, form, group, name_of(j, s), sg_history_kind_word(series->kind), series->steps.count);
        if (!in->csv && !isnan(series->steps.night_sd))
            sg_text_addf(out, "  +- %.3f %%", 100 * series->steps.night_sd);
        else if (in->csv && !isnan(series->steps.night_sd))
            sg_text_add_number(out, series->steps.night_sd, 6);
        sg_text_add(out, "\n");
    }
}

static enum sg_code show_group(const struct input *in, const char *group, struct sg_text *out, size_t *shown, struct sg_err *err)
{
    struct sg_history history = {0};
    struct sg_judgement judgement = {0};
    if (sg_history_load(in->folder, group, in->series, &history, err) != SG_SUCCESS || history.rows.count == 0)
        goto out;
    sg_history_judge(&history, &(struct sg_history_rule){.tolerance = SG_HISTORY_TOLERANCE}, &judgement);
    *shown += judgement.count;
    if (!in->series)
        add_list(out, in, &judgement, group);
    else if (in->csv)
        add_series_csv(out, &judgement, group);
    else
        add_series_text(out, in, &judgement, group);
    if (in->chart && *shown > judgement.count)
        sg_fail(err, SG_BAD_USAGE, "--chart", "expected a series of one group, found it in %s too: choose one with --group", group);
    else if (in->chart)
        draw(in, &judgement, group, err);
out:
    sg_judgement_release(&judgement);
    sg_history_release(&history);
    return err->code;
}

static enum sg_code show(struct input *in, struct sg_err *err)
{
    struct sg_names groups = {0};
    struct sg_text out = {0};
    size_t shown = 0;
    if (sg_catalogue_load(&in->catalogue, err) == SG_SUCCESS)
        sg_history_choose(in->folder, in->group, &groups, err);
    if (in->csv)
        sg_text_add(&out, in->series ? "group,series,of,date,commit,gpu,driver,status,value,se,step,counters,build\n"
                                     : "group,series,of,steps,night_sd\n");
    for (size_t i = 0; i < groups.count && err->code == SG_SUCCESS; i++)
        show_group(in, groups.items[i], &out, &shown, err);
    if (err->code == SG_SUCCESS && shown == 0)
        sg_fail(err, SG_BAD_INPUT, in->folder, "expected a series of this history, found '%s'; `solgate history show` lists them",
                in->series ? sg_show(in->series, strlen(in->series)).text : "none");
    if (err->code == SG_SUCCESS)
        sg_print(&out, err);
    sg_text_release(&out);
    sg_names_release(&groups);
    sg_catalogue_release(&in->catalogue);
    return err->code;
}

int sg_history_show(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, folder),
        SG_GROUP_OPTION(struct input),
        {.name = "nights",
         .arg = "N",
         SG_INTO(struct input, nights),
         .least = 1,
         .most = 100000,
         .help = "how many of the last are listed"},
        {.name = "format", .arg = "text|csv", SG_INTO(struct input, csv), .help = "how it is written; csv has every night"},
        {.name = "chart",
         .arg = "DIR",
         SG_INTO(struct input, chart),
         .help = "draw the series there, as trend_SERIES.png and .svg, by gnuplot",
         .standard = ""},
        {0},
    };
    static const struct sg_option arguments[] = {
        {.name = "SERIES", SG_INTO(struct input, series), .optional = true, .help = "FAMILY/CASE/VARIANT"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary =
            "Shows a series of a history: its nights, steps and exact counters that changed; without an argument, which series there "
            "are.",
        .notes = "+- is the standard error of a night. `bad night`: many series were off at once, in both directions. `build`: the ratio "
                 "is to the accepted build of that digest.\n\n"
                 "Example: solgate history show matvec/r64_c64_f32/warp_per_row --chart=charts",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct input in = {.folder = sg_history_folder(), .nights = NIGHTS_SHOWN};
    if (!sg_options_parse(&table, &in, argc, argv, err))
        return 0;
    if (in.chart && !in.series)
        sg_fail(err, SG_BAD_USAGE, NULL, "--chart: expected a SERIES to draw");
    else
        show(&in, err);
    return 0;
}

/* The page of all nightly runs and series of a history. */
#include <math.h>
#include <stdio.h>

#include "cli/cmd_history.h"
#include "reports/page.h"

struct input {
    struct sg_history_query query;
    struct sg_catalogue catalogue;
    const char *group, *out;
    bool tables_only;
};

/* The series of all groups, and trends of series with findings. */
struct page {
    const char *group; /* the current one */
    bool tables_only;
    struct sg_document series;
    struct sg_charts trends;
};

static const struct sg_column columns[] = {
    {.title = "group", .names = true, .programs = true},
    {.title = "series", .meaning = "FAMILY/CASE/VARIANT", .key = true, .names = true},
    {.title = "of", .meaning = "kind of the last value: build, ratio or time"},
    {.title = "nights", .meaning = "that have a value", .right = true},
    {.title = "steps", .right = true},
    {.title = "spread", .meaning = "between nights", .right = true},
    {.title = "last",
     .meaning = "the last value against the accepted build, or against the first runs; "
                "more is slower",
     .right = true,
     .key = true},
    {.title = "nights, from first to last",
     .meaning = "percent, as in `last`; the dashes are at 0",
     .cells = SG_SPARKS,
     .key = true},
    {.title = "chart", .cells = SG_FIGURES},
};

static const struct sg_column night_columns[] = {
    {.title = "group", .names = true, .programs = true},
    {.title = "night", .key = true, .names = true},
    {.title = "commit", .key = true},
    {.title = "GPU", .meaning = "hash of its UUID", .key = true, .names = true},
};

static void add_percent(struct sg_sheet *sheet, bool is_signed, double percent)
{
    struct sg_text *cell = sg_sheet_open(sheet);
    if (isfinite(percent))
        sg_text_addf(cell, is_signed ? "%+.2f %%" : "%.2f %%", fabs(percent) < 0.005 ? 0 : percent);
}

/* "1.5 - 2", with a dash for no number. */
static void add_number(struct sg_text *numbers, double value)
{
    if (isfinite(value))
        sg_text_addf(numbers, "%.5g ", value);
    else
        sg_text_add(numbers, "- ");
}

/* Only a step that exceeds the spread has a colour. */
static enum sg_class class_of(const struct sg_judgement *j, size_t s, double last)
{
    const double spread = j->series[s].steps.night_sd;
    for (size_t i = 0; i < j->finding_count; i++) {
        const struct sg_verdict_row *verdict = sg_verdict_row(j->findings[i].found);
        if (j->findings[i].series == s &&
            !((verdict->bits & SG_STEPS) && fabs(j->findings[i].step.change) <= spread))
            return verdict->class_;
    }
    return fabs(last) > 100 * spread ? SG_ASIDE : SG_GREEN;
}

static void add_series(struct page *page, struct sg_sheet *sheet, const struct sg_judgement *j,
                       size_t s)
{
    SG_FREED double *percent = sg_alloc(j->history->count + 1, sizeof(*percent));
    SG_SCOPED(sg_text) percents = {0}, times = {0};
    const struct sg_series_steps *steps = &j->series[s].steps;
    const size_t drawn = page->trends.count;
    const char *status = ""; /* of the last nightly run that has the series */
    size_t nights = 0;
    double last = NAN;
    sg_trend_values(j, s, percent);
    for (size_t night = 0; night < j->history->count; night++) {
        const struct sg_night_row *row = sg_series_row(j->history, &j->series[s], night);
        add_number(&percents, percent[night]);
        add_number(&times, row ? row->time : NAN);
        status = row ? sg_intern_pool_string(j->history->pool, row->status) : status;
        last = isnan(percent[night]) ? last : percent[night];
        nights += !isnan(percent[night]);
    }
    if (!page->tables_only && (sg_history_is_found(j, s) || steps->count > 0))
        sg_chart_trend(j, page->group, s, &page->trends);
    sg_sheet_row(sheet, class_of(j, s, last));
    sg_sheet_cells(sheet, page->group, sg_history_item(j, s),
                   nights > 0 ? sg_history_kind_word(j->series[s].kind) : "no time");
    sg_sheet_cellf(sheet, "%zu", nights);
    sg_sheet_cellf(sheet, "%zu", steps->count);
    add_percent(sheet, false, nights > 0 ? 100 * steps->night_sd : NAN);
    if (nights > 0)
        add_percent(sheet, true, last);
    else
        sg_sheet_cell(sheet, status);
    sg_sheet_cellf(sheet, "%s| %s", percents.data, times.data);
    struct sg_text *link = sg_sheet_open(sheet);
    if (page->trends.count > drawn)
        sg_text_addf(link, "%s trend", page->trends.items[drawn].name);
}

static void add_nights(struct page *page, const struct sg_judgement *j)
{
    struct sg_sheet *sheet =
        sg_document_sheet(&page->series, "nights", SG_COLUMNS(night_columns), SG_FOR_PAGES);
    SG_FORMATTED(title, "%zu nightly runs", j->history->count);
    sg_document_fold(&page->series, title.data);
    for (size_t night = 0; night < j->history->count; night++) {
        sg_sheet_row(sheet, SG_ASIDE);
        sg_sheet_cells(sheet, page->group, sg_night_label(j->history, night).text,
                       sg_night_fact(j->history, night, "commit"),
                       sg_night_fact(j->history, night, SG_NIGHT_UNIT));
    }
}

static void add_group(void *context, const char *group, const struct sg_judgement *judgement)
{
    struct page *page = context;
    page->group = group;
    SG_FORMATTED(title, "%s: %zu series, %zu nightly runs", group, judgement->count,
                 judgement->history->count);
    sg_document_heading(&page->series, SG_FOR_PAGES, group, title.data);
    struct sg_sheet *sheet =
        sg_document_sheet(&page->series, "series", SG_COLUMNS(columns), SG_FOR_PAGES);
    for (size_t s = 0; s < judgement->count; s++)
        add_series(page, sheet, judgement, s);
    add_nights(page, judgement);
}

static int report(struct input *in, struct sg_err *err)
{
    struct page page = {.group = "", .tables_only = in->tables_only};
    struct sg_history_checked checked;
    const struct sg_history_wanted wanted = {
        .folder = in->query.folder, .group = in->group, .all = true};
    sg_history_check_begin(&in->query, &checked);
    checked.also = add_group;
    checked.context = &page;
    if (sg_catalogue_load(&in->catalogue, err) == SG_SUCCESS &&
        sg_history_each(&wanted, sg_history_check_one, &checked, err) == SG_SUCCESS) {
        sg_history_check_lead(&checked);
        SG_FORMATTED(tab, "history: ");
        sg_headline_add(&tab, &checked.headline);
        checked.document.title = sg_copy_string("history of every nightly run");
        checked.document.tab = sg_copy_string(tab.data);
        sg_document_take(&checked.document, &page.series);
        if (sg_history_write(in->out, &checked.document, &page.trends, err) == SG_SUCCESS)
            printf("%s/index.html\n", in->out);
    }
    return 0;
}

int sg_cmd_history_report(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("out", "DIR", struct input, out,
                 .help = "the folder to write; made if it is not there", .required = true),
        SG_HISTORY_OPTION(struct input, query.folder),
        SG_GROUP_OPTION(struct input),
        SG_HISTORY_RULE_OPTIONS(struct input, query.rule),
        SG_FLAG("tables-only", struct input, tables_only,
                .help = "no charts: gnuplot is not needed"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .summary = "Writes a page of all series of a history, to open in a browser: the open "
                   "findings, every series with a line through its values, and a chart of each "
                   "series with a step or an open finding.",
        .notes = "`solgate history show SERIES --chart=DIR` draws any other series.\n\n"
                 "Example: solgate history report --out=history/report",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct input in = {
        .query = {.folder = sg_history_folder(),
                  .rule = {.tolerance = SG_HISTORY_TOLERANCE, .catalogue = &in.catalogue}}};
    return sg_options_parse(&table, &in, argc, argv, err) ? report(&in, err) : 0;
}

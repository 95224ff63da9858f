#include "reports/charts/charts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"

#define NO_BREAK "\302\240" /* does not end a word for gnuplot */

void sg_entries_add(struct sg_entries *entries, const struct sg_entry *entry)
{
    *SG_APPEND(entries->items, entries->count, entries->capacity) = *entry;
}

double sg_chart_order(bool is_baseline, double ratio, double time_ns)
{
    return is_baseline ? -1 : !isnan(ratio) ? ratio : !isnan(time_ns) ? time_ns : INFINITY;
}

static double value_of(const struct sg_row *row)
{
    return row && (row->has & SG_HAS_VALUE) && row->status == SG_OK ? row->value : NAN;
}

double sg_chart_order_in(const struct sg_table *run, const char *family, const char *case_,
                         const char *variant)
{
    const struct sg_row *role = sg_table_find(run, family, case_, variant, "role");
    return sg_chart_order(
        role && strcmp(sg_table_string(run, role->message), sg_role_word(SG_BASELINE)) == 0,
        value_of(sg_table_find(run, family, case_, variant, "time_ratio")),
        value_of(sg_table_find(run, family, case_, variant, "time")));
}

void sg_charts_take(struct sg_charts *charts, struct sg_charts *from)
{
    for (size_t i = 0; i < from->count; i++)
        *SG_APPEND(charts->items, charts->count, charts->capacity) = from->items[i];
    from->count = 0;
}

void sg_charts_add_links(const struct sg_charts *charts, const char *family, const char *case_,
                         const char *variant, struct sg_text *out)
{
    SG_FORMATTED(row, "\n%s/%s/%s\n", family, case_, variant);
    for (size_t i = 0; i < charts->count; i++)
        if (charts->items[i].link && charts->items[i].rows.length > 0 &&
            strstr(charts->items[i].rows.data, row.data))
            sg_text_addf(out, "%s %s ", charts->items[i].name, charts->items[i].link);
}

void sg_line_begin(struct sg_chart *chart, double y, enum sg_chart_line line)
{
    sg_text_addf(&chart->data, "%s%.9g\t%d", chart->data.length > 0 ? "\n" : "", y, (int)line);
}

void sg_line_add_numbers(struct sg_chart *chart, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            sg_text_addf(&chart->data, "\t%.9g", values[i]);
        else
            sg_text_add(&chart->data, "\tNaN");
}

void sg_line_word(struct sg_chart *chart, const char *word)
{
    sg_text_add(&chart->data, "\t");
    sg_add_plot(&chart->data, word[0] ? word : " ");
}

void sg_chart_key(struct sg_chart *chart, int type, double size, int colour, const char *words)
{
    SG_SCOPED(sg_text) clean = {0};
    sg_add_plot(&clean, words);
    sg_text_addf(&chart->legend, "%d %g %d ", type, size, colour);
    for (const char *at = sg_text_string(&clean); *at; at++)
        if (*at == ' ')
            sg_text_add(&chart->legend, NO_BREAK);
        else
            sg_text_add_bytes(&chart->legend, at, 1);
    sg_text_add(&chart->legend, " ");
}

void sg_chart_show(struct sg_chart *chart, const char *format, ...)
{
    const size_t length = strlen(chart->shown);
    SG_SCOPED(sg_text) words = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&words, format, args);
    va_end(args);
    snprintf(chart->shown + length, sizeof(chart->shown) - length, "%s%s", length > 0 ? "; " : "",
             words.data);
}

/* Sets the range of the axis to what the entries need, with room at both ends. */
static void choose_axis(const struct sg_entry *entries, size_t count, double linear_most,
                        struct sg_chart *chart)
{
    chart->x_low = chart->x_high = 1;
    for (size_t i = 0; i < count; i++) {
        chart->x_low = entries[i].low > 0 ? fmin(chart->x_low, entries[i].low) : chart->x_low;
        chart->x_high = fmax(chart->x_high, entries[i].high);
    }
    chart->x_log = chart->x_high / chart->x_low > linear_most;
    const double factor = pow(chart->x_high / chart->x_low, 0.04),
                 room = fmax(0.08 * (chart->x_high - chart->x_low), 0.002);
    chart->x_low = chart->x_log ? chart->x_low / factor : chart->x_low - room;
    chart->x_high = chart->x_log ? chart->x_high * factor : chart->x_high + room;
}

static int by_place(const void *left, const void *right)
{
    const struct sg_entry *a = left, *b = right;
    int family = strcmp(a->family, b->family), case_ = strcmp(a->case_, b->case_);
    if (family != 0 || case_ != 0)
        return family != 0 ? family : case_;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->variant, b->variant);
}

static int by_weight(const void *left, const void *right)
{
    const struct sg_entry *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return by_place(left, right);
}

static bool same_case(const struct sg_entry *a, const struct sg_entry *b)
{
    return strcmp(a->family, b->family) == 0 && strcmp(a->case_, b->case_) == 0;
}

static void add_head(const struct sg_chart_kind *kind, const void *context,
                     const struct sg_entry *entry, double y, struct sg_chart *chart)
{
    SG_SCOPED(sg_text) head = {0}, words = {0};
    sg_text_addf(&head, "%s/%s", entry->family, entry->case_);
    if (kind->head)
        kind->head(context, entry, &words);
    sg_line_begin(chart, y, SG_LINE_HEAD);
    sg_line_word(chart, head.data);
    sg_line_word(chart, sg_text_string(&words));
}

static void add_rows(const struct sg_chart_kind *kind, const void *context,
                     const struct sg_entry *entries, size_t count, struct sg_chart *chart)
{
    double y = 0.5;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_case(&entries[i], &entries[i - 1]))
            add_head(kind, context, &entries[i], y++, chart);
        kind->row(context, &entries[i], y++, chart);
        sg_text_addf(&chart->rows, "\n%s/%s/%s\n", SG_NAMES(entries[i]));
    }
}

/* Sorts the largest and the smallest weights to the front, in turn. */
static void keep_both_ends(struct sg_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i].weight = fabs(2.0 * (double)i - (double)(count - 1));
    qsort(entries, count, sizeof(*entries), by_weight);
}

/* Adds one page with the entries of one family, or with all entries. `family` NULL: the file
 * name is the kind's. */
static void add_page(struct sg_charts *charts, const struct sg_chart_kind *kind, void *context,
                     struct sg_entry *entries, size_t count, const char *family)
{
    struct sg_chart chart = {.link = kind->link,
                             .script = kind->script,
                             .title = kind->title,
                             .axis = kind->axis,
                             .read = kind->read};
    const size_t rows = kind->page_rows ? kind->page_rows : SG_PAGE_ROWS,
                 most = kind->page_rows ? rows : SG_PAGE_ROWS_MOST;
    const size_t shown = count <= most ? count : rows;
    if (family && sg_is_name(family))
        snprintf(chart.name, sizeof(chart.name), "%s_%s", kind->name, family);
    else if (family)
        snprintf(chart.name, sizeof(chart.name), "%s_page%zu", kind->name, charts->count + 1);
    else
        snprintf(chart.name, sizeof(chart.name), "%s", kind->name);
    if (shown < count) {
        sg_chart_show(&chart, "%zu of %zu rows, %s; all in %s", shown, count, kind->weight,
                      kind->table);
        qsort(entries, count, sizeof(*entries), by_weight);
        if (kind->both_ends)
            keep_both_ends(entries, count);
    }
    qsort(entries, shown, sizeof(*entries), by_place);
    if (kind->linear_most > 0)
        choose_axis(entries, shown, kind->linear_most, &chart);
    if (kind->begin)
        kind->begin(context, entries, shown, &chart);
    if (kind->row)
        add_rows(kind, context, entries, shown, &chart);
    *SG_APPEND(charts->items, charts->count, charts->capacity) = chart;
}

void sg_chart_pages(struct sg_charts *charts, const struct sg_chart_kind *kind, void *context,
                    struct sg_entries *entries)
{
    if (entries->count == 0)
        return;
    if (entries->count <= (kind->page_most ? kind->page_most : SG_PAGE_ROWS_MOST)) {
        add_page(charts, kind, context, entries->items, entries->count, NULL);
        return;
    }
    qsort(entries->items, entries->count, sizeof(*entries->items), by_place);
    size_t pages = 0, start = 0;
    for (; start < entries->count && pages < SG_PAGES_MAX; pages++) {
        const char *family = entries->items[start].family;
        size_t end = start;
        while (end < entries->count && strcmp(entries->items[end].family, family) == 0)
            end++;
        add_page(charts, kind, context, entries->items + start, end - start, family);
        start = end;
    }
    if (start < entries->count)
        sg_chart_show(&charts->items[charts->count - 1],
                      "the last of %d pages, %zu more rows in %s", SG_PAGES_MAX,
                      entries->count - start, kind->table);
}

void sg_charts_make(const struct sg_report *report, struct sg_charts *charts)
{
    sg_chart_ratios(report, charts);
    if (report->parts[0].gaps) {
        sg_chart_gaps(report->parts[0].gaps, charts);
        sg_chart_rooflines(report->parts[0].gaps, charts);
    }
    sg_chart_stalls(report, charts);
    sg_chart_moved(report, charts);
}

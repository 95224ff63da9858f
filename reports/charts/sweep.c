/*
 * Time of each configuration of a sweep relative to the variant's default.
 */
#include <math.h>

#include "reports/charts/charts.h"

/* interval.gp uses percent on a linear axis, ratios on a logarithmic one. */
static double on_axis(const struct sg_chart *chart, double ratio)
{
    return chart->x_log ? ratio : 100 * (ratio - 1);
}

static void begin(void *context, const struct sg_entry *entries, size_t count,
                  struct sg_chart *chart)
{
    sg_axis_take(chart, 1);
    for (size_t i = 0; i < count; i++) {
        const struct sg_tried *tried = &((const struct sg_tried *)context)[entries[i].index];
        sg_axis_take(chart, tried->ratio);
        sg_axis_take(chart, tried->low);
        sg_axis_take(chart, tried->high);
    }
    sg_axis_finish(chart, 2.5);
    chart->x_low = on_axis(chart, chart->x_low);
    chart->x_high = on_axis(chart, chart->x_high);
}

static void draw_row(const void *context, const struct sg_entry *entry, double y,
                     struct sg_chart *chart)
{
    const struct sg_tried *tried = &((const struct sg_tried *)context)[entry->index];
    SG_SCOPED(sg_text) words = {0};
    sg_text_addf(&words, "%.3fx %s", tried->ratio, tried->outcome);
    sg_line_begin(chart, y, SG_LINE_ROW);
    sg_line_label(chart, tried->knobs);
    sg_line_numbers(chart, on_axis(chart, tried->ratio),
                    on_axis(chart, isnan(tried->low) ? tried->ratio : tried->low),
                    on_axis(chart, isnan(tried->high) ? tried->ratio : tried->high),
                    sg_class_row(tried->class_)->chart);
    sg_line_numbers(chart, NAN, NAN, NAN, 0); /* no band and no accepted value */
    sg_line_words(chart, words.data);
}

void sg_chart_sweep(const struct sg_tries *tries, struct sg_charts *charts)
{
    static const struct sg_chart_kind kind = {
        .name = "sweep",
        .script = "interval.gp",
        .title = "Which knobs are best",
        .axis = "time against that of the variant's default",
        .table = "sweep.csv",
        .weight = "the best",
        .read = "A point is the time of a configuration over that of the variant's default, which "
                "is the line; its bar the interval of "
                "the last stage that it took part in. Green: the best, by processes that did not "
                "choose it. Amber: chosen, and not faster "
                "beyond doubt.",
        .begin = begin,
        .row = draw_row,
    };
    SG_SCOPED(sg_entries) entries = {0};
    for (size_t i = 0; i < tries->count; i++)
        sg_entries_add(&entries, &(struct sg_entry){.family = tries->items[i].family,
                                                    .case_ = tries->items[i].case_,
                                                    .variant = tries->items[i].knobs,
                                                    .order = tries->items[i].rank,
                                                    .weight = -tries->items[i].rank,
                                                    .index = i});
    sg_chart_pages(charts, &kind, tries->items, &entries);
}

/*
 * Time of each configuration of a sweep relative to the variant's default.
 */
#include <math.h>

#include "reports/charts/charts.h"

static int colour_of(enum sg_class class_)
{
    return class_ == SG_NEWS ? 0x2e7d32 : class_ == SG_YELLOW ? 0xb26a00 : 0x757575;
}

static void draw_row(const void *context, const struct sg_entry *entry, double y,
                     struct sg_chart *chart)
{
    const struct sg_tried *tried = &((const struct sg_tried *)context)[entry->index];
    SG_SCOPED(sg_text) words = {0};
    sg_text_addf(&words, "%.3fx %s", tried->ratio, tried->outcome);
    sg_line_begin(chart, y, SG_LINE_ROW);
    sg_line_word(chart, tried->knobs);
    sg_line_word(chart, words.data);
    sg_line_numbers(chart, tried->ratio, isnan(tried->low) ? tried->ratio : tried->low,
                    isnan(tried->high) ? tried->ratio : tried->high, colour_of(tried->class_));
    sg_line_numbers(chart, NAN, NAN, NAN, 0); /* no band and no accepted value */
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
        .linear_most = 2.5,
        .row = draw_row,
    };
    SG_SCOPED(sg_entries) entries = {0};
    for (size_t i = 0; i < tries->count; i++)
        sg_entries_add(&entries,
                       &(struct sg_entry){.family = tries->items[i].family,
                                          .case_ = tries->items[i].case_,
                                          .variant = tries->items[i].knobs,
                                          .order = tries->items[i].rank,
                                          .weight = -tries->items[i].rank,
                                          .low = fmin(tries->items[i].ratio, tries->items[i].low),
                                          .high = fmax(tries->items[i].ratio, tries->items[i].high),
                                          .index = i});
    sg_chart_pages(charts, &kind, tries->items, &entries);
}

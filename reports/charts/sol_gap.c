/* Chart of each variant's time over its limit. */
#include <math.h>

#include "reports/charts/charts.h"

struct context {
    const struct sg_sol_table *gaps;
};

static const struct sg_gap *gap_of(const struct context *context, const struct sg_entry *entry)
{
    return &context->gaps->items[entry->index];
}

static int colour_of(const struct sg_gap *gap)
{
    if (gap->refusal)
        return 0xc62828;
    return sg_gap_is(gap, SG_BASELINE) ? 0x1565c0 : sg_gap_is(gap, SG_VENDOR) ? 0xb26a00 : 0x607d8b;
}

/* The same for all variants of a case. */
static void describe_limit(const void *given, const struct sg_entry *first, struct sg_text *words)
{
    const struct context *context = given;
    const struct sg_gap *gap = gap_of(context, first);
    sg_text_add(words, "limit ");
    sg_add_time(words, gap->limit_ns);
    sg_text_addf(words, ", bound by %s%s", sg_gap_bound(gap),
                 sg_gap_is_short(context->gaps, gap) ? "; without a launch" : "");
}

static void draw_row(const void *context, const struct sg_entry *entry, double y,
                     struct sg_chart *chart)
{
    const struct sg_gap *gap = gap_of(context, entry);
    const double limit = gap->limit_ns, ceiling = gap->gap * gap->of_measured;
    SG_SCOPED(sg_text) label = {0}, words = {0};
    sg_add_gap_label(&label, gap);
    sg_add_gap(&words, gap->gap);
    sg_text_add(&words, "  ");
    sg_add_time(&words, gap->time_ns);
    if (gap->refusal)
        sg_text_addf(&words, ", %s", sg_physics_words(gap->refusal->finding));
    sg_line_begin(chart, y, SG_LINE_ROW);
    sg_line_word(chart, label.data);
    sg_line_word(chart, words.data);
    sg_line_numbers(chart, gap->gap, colour_of(gap), gap->low_ns / limit, gap->high_ns / limit,
                    ceiling);
}

/* A full page keeps the baseline and the fastest of each case. */
void sg_chart_gaps(const struct sg_sol_table *gaps, struct sg_charts *charts)
{
    static const struct sg_chart_kind kind = {
        .name = "gap",
        .link = "limit",
        .script = "gap.gp",
        .title = "How far from the speed of light",
        .axis = "time / limit",
        .table = "gap.csv",
        .weight = "the baseline and the fastest of each case",
        .read = "A point is the time of a variant over its limit, with its interval; 1x is the "
                "limit: the time of its work at the peaks of this GPU, or of an empty launch if "
                "that takes longer. Blue: the baseline variant, amber: a vendor library, red: an "
                "impossible time. The upright tick is the measured ceiling.",
        .linear_most = 1,
        .head = describe_limit,
        .row = draw_row,
    };
    struct sg_entries entries = {0};
    size_t first = 0; /* first item of the case */
    for (size_t i = 0; i < gaps->count; i++) {
        const struct sg_gap *gap = &gaps->items[i];
        if (!sg_gap_same_case(gap, &gaps->items[first]))
            first = i;
        if (isfinite(gap->gap) && gap->gap > 0)
            sg_entries_add(
                &entries,
                &(struct sg_entry){SG_NAMED(*gap),
                                   .order = sg_chart_order(sg_gap_is(gap, SG_BASELINE), gap->ratio,
                                                           gap->measured_ns),
                                   .weight = -(double)(i - first), .low = 1,
                                   .high = fmax(fmax(2, gap->gap), gap->high_ns / gap->limit_ns),
                                   .index = i});
    }
    struct context context = {.gaps = gaps};
    sg_chart_pages(charts, &kind, &context, &entries);
}

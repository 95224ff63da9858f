/*
 * Labels of a roofline's points: positions in pixels, and the line to the point if a label was
 * moved.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/charts/label_placement.h"
#include "reports/charts/roofline.h"
#include "util/escape.h"

/* up to this many points all are named; on a fuller page only the best of each case has a number */
#define NAMED_MOST   30
#define LABEL_PIXELS 7.6 /* per character: 10 points */
#define NAMES_MOST   3   /* names per label; one more if it would be the only one left */
#define POINT_PIXELS 5.0
#define NAME_REACH   3 /* lines that words may be moved from their point */
#define NUMBER_REACH 4
#define LEADER       9.0 /* words farther away need a line to their point, pixels */

static double pixels(double value, double low, double high, double size)
{
    return log(value / low) / log(high / low) * size;
}

static double from_pixels(double at, double low, double high, double size)
{
    return low * pow(high / low, at / size);
}

/* Height in pixels at `x` of the roof for the format that limits a case. */
static double roof_pixels(const struct sg_roofline *page, const struct sg_gap *gap, double x,
                          const struct sg_chart *chart)
{
    const struct sg_gpu_spec *spec = &page->gaps->spec;
    const double level =
        gap->sol.dtype < SG_DTYPE_COUNT ? spec->flop_per_s[gap->sol.dtype] : INFINITY;
    const double slope =
        from_pixels(x, chart->x_low, chart->x_high, chart->width) * spec->dram_bytes_per_s;
    return pixels(fmin(level, slope), chart->y_low, chart->y_high, chart->height);
}

/* Points of a case that share a label: those less than a line below the first. */
struct group {
    size_t first, count;
};

static bool is_each_named(const struct sg_roofline *page)
{
    return page->count <= NAMED_MOST;
}

static double height_of(const struct sg_roofline *page, size_t i, const struct sg_chart *chart)
{
    return pixels(page->point[i]->flop_per_s, chart->y_low, chart->y_high, chart->height);
}

/* On a page with many points only the best of each case has a label, the case's number; more
 * would be unreadable. */
static size_t find_groups(const struct sg_roofline *page, const struct sg_chart *chart,
                          struct group *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < page->count; i++) {
        struct group *last = count > 0 ? &groups[count - 1] : NULL;
        if (!is_each_named(page)) {
            if (sg_roofline_is_best(page, i))
                groups[count++] = (struct group){i, 1};
        } else if (last && page->case_[last->first] == page->case_[i] &&
                   !page->point[last->first]->refusal == !page->point[i]->refusal &&
                   height_of(page, last->first, chart) - height_of(page, i, chart) <
                       SG_ROOFLINE_LINE) {
            last->count++;
        } else {
            groups[count++] = (struct group){i, 1};
        }
    }
    return count;
}

/* "2 vec16_rows, cublas, 3 more" */
static void add_words_of(const struct sg_roofline *page, const struct group *group,
                         struct sg_text *words)
{
    const size_t named = group->count > NAMES_MOST + 1 ? NAMES_MOST : group->count;
    if (sg_roofline_is_best(page, group->first))
        sg_text_addf(words, "%zu%s", page->case_[group->first] + 1, is_each_named(page) ? " " : "");
    for (size_t i = 0; i < named && is_each_named(page); i++)
        sg_text_addf(words, "%s%s", i > 0 ? ", " : "", page->point[group->first + i]->variant);
    if (named < group->count)
        sg_text_addf(words, ", %zu more", group->count - named);
}

static struct sg_label_field field_of(const struct sg_roofline *page, const struct sg_chart *chart)
{
    const double reach = (is_each_named(page) ? NAME_REACH : NUMBER_REACH) * SG_ROOFLINE_LINE;
    return (struct sg_label_field){.width = chart->width,
                                   .height = chart->height,
                                   .line = SG_ROOFLINE_LINE,
                                   .point = POINT_PIXELS,
                                   .reach = reach};
}

/* Words must be below the roof at their start, except for an invalid point. */
static struct sg_label label_of(const struct sg_roofline *page, size_t i,
                                const struct sg_text *words, const struct sg_chart *chart)
{
    const struct sg_gap *gap = page->point[i];
    const struct sg_label_field field = field_of(page, chart);
    struct sg_label label = {
        .x = pixels(gap->sol.intensity, chart->x_low, chart->x_high, chart->width),
        .y = pixels(gap->flop_per_s, chart->y_low, chart->y_high, chart->height),
        .width = LABEL_PIXELS * (double)sg_width(sg_text_string(words)),
        .top = chart->height,
        .top_left = chart->height,
    };
    if (!gap->refusal) {
        label.top = roof_pixels(page, gap, label.x, chart);
        label.top_left = roof_pixels(page, gap, sg_label_left_edge(&label, &field), chart);
    }
    return label;
}

static void add_label(const struct sg_roofline *page, size_t i, const struct sg_label *label,
                      const char *words, struct sg_chart *chart)
{
    const struct sg_gap *gap = page->point[i];
    const double at[2] = {from_pixels(label->at_x, chart->x_low, chart->x_high, chart->width),
                          from_pixels(label->at_y, chart->y_low, chart->y_high, chart->height)};
    const double point[2] = {gap->sol.intensity, gap->flop_per_s};
    sg_line_begin(chart, at[1], label->left ? SG_LINE_WORDS_LEFT : SG_LINE_WORDS_RIGHT);
    sg_line_numbers(chart, at[0]);
    sg_line_word(chart, words);
    sg_line_numbers(chart, (double)page->case_[i]);
    if (fabs(label->at_y - label->y) > LEADER)
        sg_roofline_add_segment(chart, SG_LINE_LEADER, point, at);
}

/* Words must not overlap the line between the points of a case, so the line counts as a column
 * of points. */
static size_t add_line(const struct sg_roofline *page, size_t first, const struct sg_chart *chart,
                       struct sg_label *labels)
{
    const double x =
        pixels(page->point[first]->sol.intensity, chart->x_low, chart->x_high, chart->width);
    double low = height_of(page, first, chart), high = low;
    size_t count = 0;
    for (size_t i = first; i < page->count && page->case_[i] == page->case_[first]; i++) {
        low = fmin(low, height_of(page, i, chart));
        high = fmax(high, height_of(page, i, chart));
    }
    while (low + 2 * POINT_PIXELS * (double)count <= high) {
        labels[count] = (struct sg_label){.x = x, .y = low + 2 * POINT_PIXELS * (double)count};
        count++;
    }
    return count;
}

/* Makes the labels to be placed, then the points and lines to avoid. Returns the total number. */
static size_t make_labels(const struct sg_roofline *page, const struct group *groups,
                          const struct sg_text *words, size_t count, const struct sg_chart *chart,
                          struct sg_label *labels)
{
    static const struct sg_text none = {0};
    size_t all = count;
    for (size_t i = 0; i < count; i++)
        labels[i] = label_of(page, groups[i].first, &words[i], chart);
    for (size_t i = 0; i < page->count; i++) {
        labels[all++] = label_of(page, i, &none, chart);
        if (sg_roofline_is_best(page, i))
            all += add_line(page, i, chart, labels + all);
    }
    return all;
}

static void note_missing(size_t missing, struct sg_chart *chart)
{
    const size_t length = strlen(chart->shown);
    if (missing > 0)
        snprintf(chart->shown + length, sizeof(chart->shown) - length,
                 "%snames left out where there is no room: %zu", length > 0 ? "; " : "", missing);
}

void sg_roofline_add_labels(const struct sg_roofline *page, struct sg_chart *chart)
{
    const struct sg_label_field field = field_of(page, chart);
    const size_t a_line = (size_t)(chart->height / (2 * POINT_PIXELS)) + 2; /* most points of it */
    SG_FREED struct group *groups = sg_alloc(page->count, sizeof(*groups));
    const size_t count = find_groups(page, chart, groups);
    SG_FREED struct sg_text *words = sg_alloc(count, sizeof(*words));
    SG_FREED struct sg_label *labels = sg_alloc(
        count + page->count + (page->case_[page->count - 1] + 1) * a_line, sizeof(*labels));
    size_t missing = 0;
    for (size_t i = 0; i < count; i++)
        add_words_of(page, &groups[i], &words[i]);
    sg_labels_place(labels, count, make_labels(page, groups, words, count, chart, labels), &field);
    for (size_t i = 0; i < count; i++) {
        missing += labels[i].missing ? groups[i].count : 0;
        if (!labels[i].missing)
            add_label(page, groups[i].first, &labels[i], words[i].data, chart);
        sg_text_release(&words[i]);
    }
    note_missing(missing, chart);
}

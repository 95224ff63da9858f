/* What stands beside the points of a roofline: where each name is, in pixels, and the line to its point where it had to give way. */
#include <math.h>
#include <stdlib.h>

#include "reports/charts/label_placement.h"
#include "reports/charts/roofline.h"
#include "util/escape.h"

#define NAMED_MOST   30  /* points of a page that are all named; of more, the best of each case has the case's number */
#define LABEL_PIXELS 7.6 /* a character: 10 points */
#define POINT_PIXELS 5.0
#define LEADER       9.0 /* pixels from which words need a line to their point */

static double pixels(double value, double low, double high, double size)
{
    return log(value / low) / log(high / low) * size;
}

static double from_pixels(double at, double low, double high, double size)
{
    return low * pow(high / low, at / size);
}

/* How high the roof of the format that binds a case stands at `x` pixels. */
static double roof_pixels(const struct sg_roofline *page, const struct sg_gap *gap, double x, const struct sg_chart *chart)
{
    const struct sg_gpu_spec *spec = &page->gaps->spec;
    const double level = gap->sol.dtype < SG_DTYPE_COUNT ? spec->flop_per_s[gap->sol.dtype] : INFINITY;
    const double slope = from_pixels(x, chart->x_low, chart->x_high, chart->width) * spec->dram_bytes_per_s;
    return pixels(fmin(level, slope), chart->y_low, chart->y_high, chart->height);
}

static bool is_each_named(const struct sg_roofline *page)
{
    return page->count <= NAMED_MOST;
}

/* Of many points only the best of each case has words, the number of the case: more of them could not be read. */
static bool has_words(const struct sg_roofline *page, size_t i)
{
    return is_each_named(page) || sg_roofline_is_best(page, i);
}

static void add_words_of(const struct sg_roofline *page, size_t i, struct sg_text *words)
{
    if (sg_roofline_is_best(page, i))
        sg_text_addf(words, "%zu%s", page->case_[i] + 1, is_each_named(page) ? " " : "");
    if (is_each_named(page))
        sg_text_add(words, page->point[i]->variant);
}

static struct sg_label_field field_of(const struct sg_chart *chart)
{
    return (struct sg_label_field){.width = chart->width, .height = chart->height, .line = SG_ROOFLINE_LINE, .point = POINT_PIXELS};
}

/* Words stand below the roof where they begin, unless their point may be anywhere. */
static struct sg_label label_of(const struct sg_roofline *page, size_t i, const struct sg_text *words, const struct sg_chart *chart)
{
    const struct sg_gap *gap = page->point[i];
    const struct sg_label_field field = field_of(chart);
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

static void add_label(const struct sg_roofline *page, size_t i, const struct sg_label *label, const char *words, struct sg_chart *chart)
{
    const struct sg_gap *gap = page->point[i];
    const double at[2] = {from_pixels(label->at_x, chart->x_low, chart->x_high, chart->width),
                          from_pixels(label->at_y, chart->y_low, chart->y_high, chart->height)};
    const double point[2] = {gap->sol.intensity, gap->flop_per_s};
    sg_line_begin(chart, at[1], label->left ? SG_LINE_WORDS_LEFT : SG_LINE_WORDS_RIGHT);
    sg_line_number(chart, at[0]);
    sg_line_word(chart, words);
    sg_line_number(chart, (double)page->case_[i]);
    sg_line_end(chart);
    if (fabs(label->at_y - label->y) > LEADER)
        sg_roofline_add_segment(chart, SG_LINE_LEADER, point, at);
}

/* Numbers of the points: those with words, which are counted, then the others. */
static size_t order_by_words(const struct sg_roofline *page, size_t *order)
{
    size_t worded = 0, count = 0;
    for (size_t i = 0; i < page->count; i++)
        if (has_words(page, i))
            order[worded++] = i;
    count = worded;
    for (size_t i = 0; i < page->count; i++)
        if (!has_words(page, i))
            order[count++] = i;
    return worded;
}

void sg_roofline_add_labels(const struct sg_roofline *page, struct sg_chart *chart)
{
    const struct sg_label_field field = field_of(chart);
    struct sg_label *labels = sg_alloc(page->count, sizeof(*labels));
    struct sg_text *words = sg_alloc(page->count, sizeof(*words));
    size_t *order = sg_alloc(page->count, sizeof(*order));
    const size_t worded = order_by_words(page, order);
    for (size_t k = 0; k < page->count; k++) {
        add_words_of(page, order[k], &words[k]);
        labels[k] = label_of(page, order[k], &words[k], chart);
    }
    sg_labels_place(labels, worded, page->count, &field);
    for (size_t k = 0; k < worded; k++) {
        add_label(page, order[k], &labels[k], words[k].data, chart);
        sg_text_release(&words[k]);
    }
    free(order);
    free(words);
    free(labels);
}

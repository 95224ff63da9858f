/* Rooflines: what each variant reaches over the intensity of its case, below what the peaks and the measured ceilings allow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "escape.h"
#include "labels.h"

#define ONE_PAGE     30    /* points; more make a page a family */
#define NAMED_MOST   30    /* points of a page that are all named */
#define PAGE_MOST    300   /* of a page: those nearest to the limit */
#define WIDTH        820.0 /* of the plotting area, pixels */
#define HEIGHT       520.0
#define LABEL_PIXELS 7.6 /* a character: 10 points */
#define LABEL_LINE   15.0
#define POINT_PIXELS 5.0
#define KEY_PIXELS   9.8  /* a character of the key: 11 points */
#define KEY_MARGIN   70.0 /* of its marks */
#define LEADER       9.0  /* pixels from which words need a line to their point */
#define SLOPE_WORDS  0.8  /* where on the way up its words stand */

/* Points of one page; the gaps are borrowed. */
struct page {
    const struct sg_gaps *gaps;
    const struct sg_gap **point; /* owned */
    size_t count;
};

/* Without arithmetic or without bytes there is no place on a roofline. */
static bool has_place(const struct sg_gap *gap)
{
    return isfinite(gap->sol.intensity) && gap->sol.intensity > 0 && gap->flop_per_s > 0;
}

static int by_gap(const void *left, const void *right)
{
    const struct sg_gap *a = *(const struct sg_gap *const *)left, *b = *(const struct sg_gap *const *)right;
    return a->gap != b->gap ? (a->gap < b->gap ? -1 : 1) : a < b ? -1 : a > b;
}

/* Cases in the order of the run, their highest points first: names that have to give way go down, and stay in order. */
static int by_case(const void *left, const void *right)
{
    const struct sg_gap *a = *(const struct sg_gap *const *)left, *b = *(const struct sg_gap *const *)right;
    const int family = strcmp(a->family, b->family), case_ = strcmp(a->case_, b->case_);
    if (family != 0 || case_ != 0)
        return family != 0 ? family : case_;
    return a->flop_per_s != b->flop_per_s ? (a->flop_per_s > b->flop_per_s ? -1 : 1) : a < b ? -1 : a > b;
}

static bool begins_case(const struct page *page, size_t i)
{
    return i == 0 || strcmp(page->point[i - 1]->family, page->point[i]->family) != 0 ||
           strcmp(page->point[i - 1]->case_, page->point[i]->case_) != 0;
}

/* ---- the axes ---- */

static bool is_used(const struct page *page, enum sg_dtype dtype)
{
    for (size_t i = 0; i < page->count; i++)
        if (page->point[i]->work.flop[dtype] > 0)
            return true;
    return false;
}

/* Both axes hold every point and the corner of every roof, with room for the words of the slope left of it. */
static void choose_axes(const struct page *page, struct sg_chart *chart)
{
    const struct sg_gpu_spec *spec = &page->gaps->spec;
    double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0;
    for (size_t i = 0; i < page->count; i++) {
        x_low = fmin(x_low, page->point[i]->sol.intensity);
        x_high = fmax(x_high, page->point[i]->sol.intensity);
        y_low = fmin(y_low, page->point[i]->flop_per_s);
        y_high = fmax(y_high, page->point[i]->flop_per_s);
    }
    for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++)
        if (is_used(page, d)) {
            x_low = fmin(x_low, spec->flop_per_s[d] / spec->dram_bytes_per_s / 16);
            x_high = fmax(x_high, spec->flop_per_s[d] / spec->dram_bytes_per_s * 4);
            y_high = fmax(y_high, spec->flop_per_s[d]);
        }
    chart->x_low = x_low / 5; /* names stand left of points, too */
    chart->x_high = x_high * 2.5;
    chart->x_log = true;
    chart->y_low = y_low / 3;
    chart->y_high = y_high * 3;
}

static double pixels(double value, double low, double high, double size)
{
    return log(value / low) / log(high / low) * size;
}

static double from_pixels(double at, double low, double high, double size)
{
    return low * pow(high / low, at / size);
}

/* ---- lines of the data file ---- */

/* From one point to another, as gnuplot draws vectors. */
static void add_segment(struct sg_chart *chart, enum sg_chart_line kind, const double from[2], const double to[2])
{
    sg_line_begin(chart, from[1], kind);
    sg_line_number(chart, from[0]);
    sg_line_number(chart, to[0] - from[0]);
    sg_line_number(chart, to[1] - from[1]);
    sg_line_end(chart);
}

static void add_words(struct sg_chart *chart, enum sg_chart_line kind, const double at[2], const char *words)
{
    sg_line_begin(chart, at[1], kind);
    sg_line_number(chart, at[0]);
    sg_line_word(chart, words);
    sg_line_end(chart);
}

/* Up to the height of `flop`. */
static void add_slope(struct sg_chart *chart, enum sg_chart_line kind, double bytes_per_s, double flop)
{
    const double foot = fmax(chart->x_low, chart->y_low / bytes_per_s);
    add_segment(chart, kind, (const double[2]){foot, foot * bytes_per_s}, (const double[2]){flop / bytes_per_s, flop});
}

/* From a slope on. */
static void add_level(struct sg_chart *chart, enum sg_chart_line kind, double bytes_per_s, double flop)
{
    add_segment(chart, kind, (const double[2]){flop / bytes_per_s, flop}, (const double[2]){chart->x_high, flop});
}

/* What a roof is called, and where its words end. */
struct roof_words {
    double at[2];
    const char *of, *unit;
    double peak, ceiling; /* 0: not measured */
};

static void add_roof_words(struct sg_chart *chart, const struct roof_words *roof)
{
    struct sg_text words = {0};
    sg_text_addf(&words, "%s ", roof->of);
    sg_add_rate(&words, roof->peak, roof->unit);
    if (roof->ceiling > 0) {
        sg_text_add(&words, ", measured ");
        sg_add_rate(&words, roof->ceiling, roof->unit);
    }
    add_words(chart, SG_LINE_ROOF_WORDS, roof->at, words.data);
    sg_text_release(&words);
}

/* Left of the slope nothing can be but what is faster than physics: there is room for its words. */
static void add_slope_words(const struct page *page, double corner, struct sg_chart *chart)
{
    const double peak = page->gaps->spec.dram_bytes_per_s, foot = fmax(chart->x_low, chart->y_low / peak);
    const double x = foot * pow(corner / foot, SLOPE_WORDS);
    add_roof_words(chart,
                   &(struct roof_words){
                       .at = {x, x * peak}, .of = "DRAM", .unit = "B/s", .peak = peak, .ceiling = page->gaps->ceilings.dram_bytes_per_s});
}

/* The roofs of one number format; its words stand above those of the `before` formats that have theirs. */
static void add_format_roofs(const struct page *page, enum sg_dtype dtype, size_t before, struct sg_chart *chart)
{
    const struct sg_gpu_spec *spec = &page->gaps->spec;
    const struct sg_ceilings *ceilings = &page->gaps->ceilings;
    const double peak = spec->flop_per_s[dtype], ceiling = ceilings->flop_per_s[dtype];
    const double line = pow(chart->y_high / chart->y_low, LABEL_LINE / HEIGHT);
    add_slope(chart, SG_LINE_PEAK, spec->dram_bytes_per_s, peak);
    add_level(chart, SG_LINE_PEAK, spec->dram_bytes_per_s, peak);
    if (ceilings->dram_bytes_per_s > 0)
        add_slope(chart, SG_LINE_CEILING, ceilings->dram_bytes_per_s, ceiling > 0 ? ceiling : peak);
    if (ceiling > 0)
        add_level(chart, SG_LINE_CEILING, ceilings->dram_bytes_per_s > 0 ? ceilings->dram_bytes_per_s : spec->dram_bytes_per_s, ceiling);
    add_roof_words(chart, &(struct roof_words){.at = {chart->x_high, peak * pow(line, (double)before)},
                                               .of = sg_dtype_word(dtype),
                                               .unit = "flop/s",
                                               .peak = peak,
                                               .ceiling = ceiling});
}

static void add_roofs(const struct page *page, struct sg_chart *chart)
{
    double lowest_corner = INFINITY;
    size_t formats = 0;
    for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++)
        if (is_used(page, d)) {
            add_format_roofs(page, d, formats++, chart);
            lowest_corner = fmin(lowest_corner, page->gaps->spec.flop_per_s[d] / page->gaps->spec.dram_bytes_per_s);
        }
    add_slope_words(page, lowest_corner, chart);
}

/* How a point is drawn: gnuplot's numbers of a square, a diamond, a disc and a cross. */
static int marker_of(const struct sg_gap *gap)
{
    if (gap->faster_than_physics)
        return 2;
    return strcmp(gap->role, "baseline") == 0 ? 5 : strcmp(gap->role, "vendor") == 0 ? 13 : 7;
}

/* The points, and a word of the key for each case; the last word says whether anything was measured. */
static void add_points(const struct page *page, struct sg_chart *chart)
{
    size_t cases = 0;
    for (size_t i = 0; i < page->count; i++) {
        const struct sg_gap *gap = page->point[i];
        if (begins_case(page, i)) {
            const size_t before = chart->legend.length;
            sg_text_addf(&chart->legend, "%s/%s ", gap->family, gap->case_);
            chart->right = fmax(chart->right, KEY_MARGIN + KEY_PIXELS * (double)(chart->legend.length - before));
            cases++;
        }
        sg_line_begin(chart, gap->flop_per_s, SG_LINE_POINT);
        sg_line_number(chart, gap->sol.intensity);
        sg_line_number(chart, (double)cases - 1);
        sg_line_number(chart, marker_of(gap));
        sg_line_end(chart);
    }
    sg_text_add(&chart->legend, sg_ceilings_any(&page->gaps->ceilings) ? "measured" : "-");
}

/* The lowest line over what is reached: the measured one, or the peak where that is beyond it or nothing was measured. */
static double line_over(double reached, double ceiling, double peak)
{
    return ceiling > reached ? ceiling : peak;
}

/* Where the level of the format that binds its case stands over a point. */
static double level_pixels(const struct page *page, const struct sg_gap *gap, const struct sg_chart *chart)
{
    const enum sg_dtype dtype = gap->sol.dtype;
    if (dtype >= SG_DTYPE_COUNT)
        return chart->height;
    return pixels(line_over(gap->flop_per_s, page->gaps->ceilings.flop_per_s[dtype], page->gaps->spec.flop_per_s[dtype]), chart->y_low,
                  chart->y_high, chart->height);
}

/* At what height the slope over a point leaves the left edge. */
static double slope_foot_pixels(const struct page *page, const struct sg_gap *gap, const struct sg_chart *chart)
{
    const double bytes_per_s =
        line_over(gap->flop_per_s / gap->sol.intensity, page->gaps->ceilings.dram_bytes_per_s, page->gaps->spec.dram_bytes_per_s);
    return pixels(bytes_per_s * chart->x_low, chart->y_low, chart->y_high, chart->height);
}

/* Of every slope, since both axes are logarithmic. */
static double slope_rise(const struct sg_chart *chart)
{
    return log(chart->x_high / chart->x_low) / chart->width * chart->height / log(chart->y_high / chart->y_low);
}

/* Of many points only the highest of each case, baselines and libraries are named: what a reader asks for first, and can still read. */
static bool is_named(const struct page *page, size_t i)
{
    return page->count <= NAMED_MOST || begins_case(page, i) || strcmp(page->point[i]->role, sg_role_word(SG_CANDIDATE)) != 0;
}

static struct sg_label label_of(const struct page *page, const struct sg_gap *gap, const struct sg_chart *chart)
{
    return (struct sg_label){
        .x = pixels(gap->sol.intensity, chart->x_low, chart->x_high, chart->width),
        .y = pixels(gap->flop_per_s, chart->y_low, chart->y_high, chart->height),
        .width = LABEL_PIXELS * (double)sg_width(gap->variant),
        .top = gap->faster_than_physics ? chart->height : level_pixels(page, gap, chart),
        .foot = gap->faster_than_physics ? chart->height : slope_foot_pixels(page, gap, chart),
    };
}

static void add_label(const struct sg_label *label, const struct sg_gap *gap, size_t case_, struct sg_chart *chart)
{
    const double at[2] = {from_pixels(label->at_x, chart->x_low, chart->x_high, chart->width),
                          from_pixels(label->at_y, chart->y_low, chart->y_high, chart->height)};
    const double point[2] = {gap->sol.intensity, gap->flop_per_s};
    sg_line_begin(chart, at[1], label->left ? SG_LINE_WORDS_LEFT : SG_LINE_WORDS_RIGHT);
    sg_line_number(chart, at[0]);
    sg_line_word(chart, gap->variant);
    sg_line_number(chart, (double)case_);
    sg_line_end(chart);
    if (fabs(label->at_y - label->y) > LEADER)
        add_segment(chart, SG_LINE_LEADER, point, at);
}

static void add_labels(const struct page *page, struct sg_chart *chart)
{
    struct sg_label *labels = sg_alloc(page->count, sizeof(*labels));
    size_t named = 0, cases = 0;
    for (size_t i = 0; i < page->count; i++)
        if (is_named(page, i))
            labels[named++] = label_of(page, page->point[i], chart);
    sg_labels_place(
        labels, named,
        &(struct sg_label_field){
            .width = chart->width, .height = chart->height, .line = LABEL_LINE, .point = POINT_PIXELS, .rise = slope_rise(chart)});
    named = 0;
    for (size_t i = 0; i < page->count; i++) {
        cases += begins_case(page, i);
        if (is_named(page, i))
            add_label(&labels[named++], page->point[i], cases - 1, chart);
    }
    free(labels);
}

/* ---- pages ---- */

static void add_page(struct sg_charts *charts, struct page *page, const char *family, size_t left_out)
{
    struct sg_chart chart = {
        .script = "roofline.gp",
        .title = "Roofline: what is reached, below what can be",
        .axis = "intensity, flop per compulsory byte (logarithmic)",
        .read =
            "A point is a variant: how many flop a second over how many flop its case has for each compulsory byte. Nothing can be above "
            "the solid lines, the peaks of this GPU; the dashed ones are what was measured on it. Under the slope memory binds, under "
            "the level arithmetic. Squares are baselines, diamonds a vendor's library, discs candidates; a cross is faster than physics. "
            "Of many points "
            "only the highest of each case, baselines and libraries are named.",
        .left = 120,
        .right = 40,
        .top = 56,
        .bottom = 94,
        .width = WIDTH,
        .height = HEIGHT,
    };
    const size_t all = page->count;
    page->count = all < PAGE_MOST ? all : PAGE_MOST;
    qsort(page->point, page->count, sizeof(*page->point), by_case);
    if (family && sg_is_name(family))
        snprintf(chart.name, sizeof(chart.name), "roofline_%s", family);
    else
        snprintf(chart.name, sizeof(chart.name), "roofline");
    if (all > page->count)
        snprintf(chart.shown, sizeof(chart.shown), "%zu of %zu points, those nearest to the limit; all in gap.csv", page->count, all);
    if (left_out > 0) {
        const size_t length = strlen(chart.shown);
        snprintf(chart.shown + length, sizeof(chart.shown) - length, "%s%zu without arithmetic or bytes have no place here; see gap.csv",
                 length ? "; " : "", left_out);
    }
    choose_axes(page, &chart);
    add_roofs(page, &chart);
    add_points(page, &chart);
    add_labels(page, &chart);
    charts->items = sg_grow(charts->items, &charts->capacity, charts->count + 1, sizeof(*charts->items));
    charts->items[charts->count++] = chart;
}

/* Those of one family, or of all (NULL), nearest to the limit first. */
static size_t take_points(const struct sg_gaps *gaps, const char *family, const struct sg_gap **point)
{
    size_t count = 0;
    for (size_t i = 0; i < gaps->count; i++)
        if (has_place(&gaps->items[i]) && (!family || strcmp(gaps->items[i].family, family) == 0))
            point[count++] = &gaps->items[i];
    qsort(point, count, sizeof(*point), by_gap);
    return count;
}

/* How many of a family, or of all (NULL), were timed. */
static size_t timed_of(const struct sg_gaps *gaps, const char *family)
{
    size_t timed = 0;
    for (size_t i = 0; i < gaps->count; i++)
        timed += isfinite(gaps->items[i].gap) && (!family || strcmp(gaps->items[i].family, family) == 0);
    return timed;
}

/* The page of a family, or of all (NULL); none without a point. */
static void add_page_of(struct sg_charts *charts, struct page *page, const char *family)
{
    page->count = take_points(page->gaps, family, page->point);
    if (page->count > 0)
        add_page(charts, page, family, timed_of(page->gaps, family) - page->count);
}

void sg_chart_rooflines(const struct sg_gaps *gaps, struct sg_charts *charts)
{
    struct page page = {.gaps = gaps, .point = sg_alloc(gaps->count + 1, sizeof(*page.point))};
    const bool one_page = take_points(gaps, NULL, page.point) <= ONE_PAGE;
    const size_t before = charts->count;
    if (one_page)
        add_page_of(charts, &page, NULL);
    for (size_t i = 0; i < gaps->count && !one_page && charts->count - before < SG_PAGES_MAX; i++)
        if (i == 0 || strcmp(gaps->items[i - 1].family, gaps->items[i].family) != 0)
            add_page_of(charts, &page, gaps->items[i].family);
    free(page.point);
}

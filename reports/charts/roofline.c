/*
 * Rooflines: flop per second of each variant over the intensity of its case, with the limits of
 * peaks and measured ceilings.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/charts/charts.h"
#include "reports/charts/roofline.h"
#include "util/escape.h"

#define ONE_PAGE    30    /* points; more points make a page per family */
#define PAGE_MOST   300   /* points per page: those nearest to the limit */
#define WIDTH       820.0 /* plotting area, pixels */
#define HEIGHT      520.0 /* smallest height of the plotting area */
#define SIDE_PIXELS 60.0  /* from the outermost points to the edges, for numbers */
#define NAME_PIXELS 150.0 /* from the outermost points to the edges, for names */
#define FOOT_PIXELS 30.0
#define HEAD_PIXELS 40.0 /* above the highest roof, for its words */
#define KEY_PIXELS  9.8  /* per character of the key: 11 points */
#define KEY_MARGIN  70.0 /* for the marks of the key */
/* longest key line besides the cases, from plots/roofline.gp */
#define KEY_LONGEST "candidate, the best of its case"
#define KEY_LINE    20.5
#define KEY_MARKS   6   /* key lines besides the cases */
#define LARGE       1.0 /* point sizes */
#define SMALL       0.45
#define SLOPE_SHOWN 4.0  /* factor of intensity over which a slope is shown before its corner */
#define LEVEL_SHOWN 1.5  /* factor of intensity over which a level is shown after its corner */
#define SLOPE_WORDS 0.85 /* position of the slope's words on the way up */

/* A case without arithmetic or without bytes has no place on a roofline. */
static bool has_place(const struct sg_gap *gap)
{
    return isfinite(gap->sol.intensity) && gap->sol.intensity > 0 && gap->flop_per_s > 0;
}

static int by_gap(const void *left, const void *right)
{
    const struct sg_gap *a = *(const struct sg_gap *const *)left,
                        *b = *(const struct sg_gap *const *)right;
    return a->gap != b->gap ? (a->gap < b->gap ? -1 : 1) : a < b ? -1 : a > b;
}

static int compare_cases(const struct sg_gap *a, const struct sg_gap *b)
{
    const int family = strcmp(a->family, b->family);
    return family != 0 ? family : strcmp(a->case_, b->case_);
}

/* Cases in the order of the run, highest points first: displaced names move down and stay in
 * order. Invalid points come last at any height, because they are not the best of their case. */
static int by_case(const void *left, const void *right)
{
    const struct sg_gap *a = *(const struct sg_gap *const *)left,
                        *b = *(const struct sg_gap *const *)right;
    const int cases = compare_cases(a, b);
    if (cases != 0)
        return cases;
    if (!a->refusal != !b->refusal)
        return a->refusal ? 1 : -1;
    return a->flop_per_s != b->flop_per_s ? (a->flop_per_s > b->flop_per_s ? -1 : 1)
           : a < b                        ? -1
                                          : a > b;
}

static void sort_by_case(struct sg_roofline *page)
{
    qsort(page->point, page->count, sizeof(*page->point), by_case);
    page->case_[0] = 0;
    for (size_t i = 1; i < page->count; i++)
        page->case_[i] =
            page->case_[i - 1] + (compare_cases(page->point[i - 1], page->point[i]) != 0);
}

bool sg_roofline_is_best(const struct sg_roofline *page, size_t i)
{
    return i == 0 || page->case_[i - 1] != page->case_[i];
}

/* ---- the axes ---- */

static bool is_used(const struct sg_roofline *page, enum sg_dtype dtype)
{
    for (size_t i = 0; i < page->count; i++)
        if (page->point[i]->work.flop[dtype] > 0)
            return true;
    return false;
}

/* Widens a logarithmic axis of `size` pixels to leave this many pixels at its ends. */
static void add_room(double *low, double *high, double before, double behind, double size)
{
    const double a_pixel = log(*high / *low) / (size - before - behind);
    *low *= exp(-before * a_pixel);
    *high *= exp(behind * a_pixel);
}

/* Both axes include every point, the corner of every roof, and a part of both its sides. */
static void choose_axes(const struct sg_roofline *page, struct sg_chart *chart)
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
            const double corner = spec->flop_per_s[d] / spec->dram_bytes_per_s;
            x_low = fmin(x_low, corner / SLOPE_SHOWN);
            x_high = fmax(x_high, corner * LEVEL_SHOWN);
            y_high = fmax(y_high, spec->flop_per_s[d]);
        }
    const double side = page->count <= ONE_PAGE ? NAME_PIXELS : SIDE_PIXELS;
    add_room(&x_low, &x_high, side, side, chart->width);
    add_room(&y_low, &y_high, FOOT_PIXELS, HEAD_PIXELS, chart->height);
    chart->x_low = x_low;
    chart->x_high = x_high;
    chart->x_log = true;
    chart->y_low = y_low;
    chart->y_high = y_high;
}

/* ---- lines of the data file ---- */

void sg_roofline_add_segment(struct sg_chart *chart, enum sg_chart_line kind, const double from[2],
                             const double to[2])
{
    sg_line_begin(chart, from[1], kind);
    sg_line_numbers(chart, from[0], to[0] - from[0], to[1] - from[1]);
}

static void add_words(struct sg_chart *chart, enum sg_chart_line kind, const double at[2],
                      const char *words)
{
    sg_line_begin(chart, at[1], kind);
    sg_line_numbers(chart, at[0]);
    sg_line_word(chart, words);
}

/* The slope up to the height of `flop`. */
static void add_slope(struct sg_chart *chart, enum sg_chart_line kind, double bytes_per_s,
                      double flop)
{
    const double foot = fmax(chart->x_low, chart->y_low / bytes_per_s);
    sg_roofline_add_segment(chart, kind, (const double[2]){foot, foot * bytes_per_s},
                            (const double[2]){flop / bytes_per_s, flop});
}

/* The level from the slope on. */
static void add_level(struct sg_chart *chart, enum sg_chart_line kind, double bytes_per_s,
                      double flop)
{
    sg_roofline_add_segment(chart, kind, (const double[2]){flop / bytes_per_s, flop},
                            (const double[2]){chart->x_high, flop});
}

/* The words of a roof, and the position of their end. */
struct roof_words {
    double at[2];
    const char *of, *unit;
    double peak, ceiling; /* 0: not measured */
};

static void add_roof_words(struct sg_chart *chart, const struct roof_words *roof)
{
    SG_SCOPED(sg_text) words = {0};
    sg_text_addf(&words, "%s ", roof->of);
    sg_add_rate(&words, roof->peak, roof->unit);
    if (roof->ceiling > 0) {
        sg_text_add(&words, ", measured ");
        sg_add_rate(&words, roof->ceiling, roof->unit);
    }
    add_words(chart, SG_LINE_ROOF_WORDS, roof->at, words.data);
}

/* Left of the slope are only invalid points, so there is room for words. */
static void add_slope_words(const struct sg_roofline *page, double corner, struct sg_chart *chart)
{
    const double peak = page->gaps->spec.dram_bytes_per_s,
                 foot = fmax(chart->x_low, chart->y_low / peak);
    const double x = foot * pow(corner / foot, SLOPE_WORDS);
    add_roof_words(chart, &(struct roof_words){.at = {x, x * peak},
                                               .of = "DRAM",
                                               .unit = "B/s",
                                               .peak = peak,
                                               .ceiling = page->gaps->ceilings.dram_bytes_per_s});
}

/* Number of earlier formats on the page with the same peak, whose words take the lines below. */
static size_t formats_below(const struct sg_roofline *page, enum sg_dtype dtype)
{
    const double *peak = page->gaps->spec.flop_per_s;
    size_t count = 0;
    for (enum sg_dtype d = 0; d < dtype; d++)
        count += is_used(page, d) && peak[d] == peak[dtype];
    return count;
}

static void add_format_roofs(const struct sg_roofline *page, enum sg_dtype dtype,
                             struct sg_chart *chart)
{
    const struct sg_gpu_spec *spec = &page->gaps->spec;
    const struct sg_ceilings *ceilings = &page->gaps->ceilings;
    const double peak = spec->flop_per_s[dtype], ceiling = ceilings->flop_per_s[dtype];
    const double line = pow(chart->y_high / chart->y_low, SG_ROOFLINE_LINE / chart->height);
    add_slope(chart, SG_LINE_PEAK, spec->dram_bytes_per_s, peak);
    add_level(chart, SG_LINE_PEAK, spec->dram_bytes_per_s, peak);
    if (ceilings->dram_bytes_per_s > 0)
        add_slope(chart, SG_LINE_CEILING, ceilings->dram_bytes_per_s, ceiling > 0 ? ceiling : peak);
    if (ceiling > 0)
        add_level(chart, SG_LINE_CEILING,
                  ceilings->dram_bytes_per_s > 0 ? ceilings->dram_bytes_per_s
                                                 : spec->dram_bytes_per_s,
                  ceiling);
    add_roof_words(chart,
                   &(struct roof_words){
                       .at = {chart->x_high, peak * pow(line, (double)formats_below(page, dtype))},
                       .of = sg_dtype_word(dtype),
                       .unit = "flop/s",
                       .peak = peak,
                       .ceiling = ceiling});
}

static void add_roofs(const struct sg_roofline *page, struct sg_chart *chart)
{
    double lowest_corner = INFINITY;
    for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++)
        if (is_used(page, d)) {
            add_format_roofs(page, d, chart);
            lowest_corner = fmin(lowest_corner, page->gaps->spec.flop_per_s[d] /
                                                    page->gaps->spec.dram_bytes_per_s);
        }
    add_slope_words(page, lowest_corner, chart);
}

/* Point types in gnuplot's numbering. */
enum { CROSS = 2, SQUARE = 5, DISC = 7, DIAMOND = 13 };

static int marker_of(const struct sg_gap *gap)
{
    if (gap->refusal)
        return CROSS;
    return sg_gap_is(gap, SG_BASELINE) ? SQUARE : sg_gap_is(gap, SG_VENDOR) ? DIAMOND : DISC;
}

static double key_pixels(const char *line)
{
    return KEY_MARGIN + KEY_PIXELS * (double)sg_width(line);
}

/* Adds two words per case to the key: the case, and its best variant. The margin must fit the
 * resulting line. */
static void add_case_to_key(const struct sg_gap *best, size_t number, struct sg_chart *chart)
{
    SG_SCOPED(sg_text) line = {0};
    sg_text_addf(&line, "%zu %s/%s: %s", number, best->family, best->case_, best->variant);
    chart->right = fmax(chart->right, key_pixels(line.data));
    sg_text_addf(&chart->legend, "%s/%s %s ", best->family, best->case_, best->variant);
}

static void add_point(const struct sg_gap *gap, size_t case_, double size, struct sg_chart *chart)
{
    sg_line_begin(chart, gap->flop_per_s, SG_LINE_POINT);
    sg_line_numbers(chart, gap->sol.intensity, (double)case_, marker_of(gap), size);
}

/* A line from the lowest point of a case to the highest, to connect the points of a column. */
static void add_span(const struct sg_gap *lowest, const struct sg_gap *highest, size_t case_,
                     struct sg_chart *chart)
{
    sg_line_begin(chart, lowest->flop_per_s, SG_LINE_SPAN);
    sg_line_numbers(chart, lowest->sol.intensity, highest->sol.intensity - lowest->sol.intensity,
                    highest->flop_per_s - lowest->flop_per_s, (double)case_);
}

/* Large points: the best of a case, baselines, libraries, invalid points. */
static double size_of(const struct sg_roofline *page, size_t i)
{
    return sg_roofline_is_best(page, i) || marker_of(page->point[i]) != DISC ? LARGE : SMALL;
}

/* Adds the key, points and span of the case that begins at `first`. Returns the start of the
 * next case. Invalid points (crosses) are never the best, but are in the span. */
static size_t add_case(const struct sg_roofline *page, size_t first, struct sg_chart *chart)
{
    const struct sg_gap *lowest = page->point[first], *highest = lowest;
    const size_t case_ = page->case_[first];
    size_t i = first;
    add_case_to_key(page->point[first], case_ + 1, chart);
    for (; i < page->count && page->case_[i] == case_; i++) {
        const struct sg_gap *gap = page->point[i];
        lowest = gap->flop_per_s < lowest->flop_per_s ? gap : lowest;
        highest = gap->flop_per_s > highest->flop_per_s ? gap : highest;
        add_point(gap, case_, size_of(page, i), chart);
    }
    add_span(lowest, highest, case_, chart);
    return i;
}

static void add_points(const struct sg_roofline *page, struct sg_chart *chart)
{
    for (size_t i = 0; i < page->count;)
        i = add_case(page, i, chart);
    const struct sg_ceilings *ceilings = &page->gaps->ceilings;
    sg_text_add(&chart->legend, sg_ceilings_any(ceilings) ? sg_l2_word(ceilings->l2) : "-");
}

/* ---- pages ---- */

static void add_page(struct sg_charts *charts, struct sg_roofline *page, const char *family,
                     size_t left_out)
{
    struct sg_chart chart = {
        .script = "roofline.gp",
        .title = "Roofline: what is reached, below what can be",
        .axis = "intensity, flop per compulsory byte (logarithmic)",
        .read = "A point is a variant: how many flop a second over how many flop its case has for "
                "each compulsory byte. The solid "
                "lines are the peaks of this GPU, which hardly anything can exceed; the dashed "
                "ones are what was measured on it. Under the "
                "slope "
                "memory binds, under the level arithmetic. Squares are baselines, diamonds a "
                "vendor's library, discs candidates, small ones "
                "not the best of their case; a cross is invalid. A thin line joins the points of a "
                "case. Its number stands beside the best of "
                "them, the "
                "highest that is no cross, and is in the key, with that variant; names stand "
                "beside points where there are few.",
        .left = 140,
        .right = key_pixels(KEY_LONGEST),
        .top = 56,
        .bottom = 94,
        .width = WIDTH,
    };
    const size_t all = page->count;
    page->count = all < PAGE_MOST ? all : PAGE_MOST;
    sort_by_case(page);
    if (family && sg_is_name(family))
        snprintf(chart.name, sizeof(chart.name), "roofline_%s", family);
    else
        snprintf(chart.name, sizeof(chart.name), "roofline");
    if (all > page->count)
        snprintf(chart.shown, sizeof(chart.shown),
                 "%zu of %zu points, those nearest to the limit; all in gap.csv", page->count, all);
    if (left_out > 0) {
        const size_t length = strlen(chart.shown);
        snprintf(chart.shown + length, sizeof(chart.shown) - length,
                 "%s%zu without arithmetic or bytes have no place here; see gap.csv",
                 length ? "; " : "", left_out);
    }
    chart.key = (double)(page->case_[page->count - 1] + 1 + KEY_MARKS);
    chart.height = fmax(HEIGHT, KEY_LINE * chart.key);
    choose_axes(page, &chart);
    add_roofs(page, &chart);
    add_points(page, &chart);
    sg_roofline_add_labels(page, &chart);
    *SG_APPEND(charts->items, charts->count, charts->capacity) = chart;
}

/* The points of one family, or of all (NULL), nearest to the limit first. */
static size_t take_points(const struct sg_sol_table *gaps, const char *family,
                          const struct sg_gap **point)
{
    size_t count = 0;
    for (size_t i = 0; i < gaps->count; i++)
        if (has_place(&gaps->items[i]) && (!family || strcmp(gaps->items[i].family, family) == 0))
            point[count++] = &gaps->items[i];
    qsort(point, count, sizeof(*point), by_gap);
    return count;
}

/* Number of timed variants of a family, or of all (NULL). */
static size_t timed_of(const struct sg_sol_table *gaps, const char *family)
{
    size_t timed = 0;
    for (size_t i = 0; i < gaps->count; i++)
        timed +=
            isfinite(gaps->items[i].gap) && (!family || strcmp(gaps->items[i].family, family) == 0);
    return timed;
}

/* Adds the page of a family, or of all (NULL), if it has points. */
static void add_page_of(struct sg_charts *charts, struct sg_roofline *page, const char *family)
{
    page->count = take_points(page->gaps, family, page->point);
    if (page->count > 0)
        add_page(charts, page, family, timed_of(page->gaps, family) - page->count);
}

void sg_chart_rooflines(const struct sg_sol_table *gaps, struct sg_charts *charts)
{
    struct sg_roofline page = {
        .gaps = gaps,
        .point = sg_alloc(gaps->count + 1, sizeof(*page.point)),
        .case_ = sg_alloc(gaps->count + 1, sizeof(*page.case_)),
    };
    const bool one_page = take_points(gaps, NULL, page.point) <= ONE_PAGE;
    const size_t before = charts->count;
    if (one_page)
        add_page_of(charts, &page, NULL);
    for (size_t i = 0; i < gaps->count && !one_page && charts->count - before < SG_PAGES_MAX; i++)
        if (i == 0 || strcmp(gaps->items[i - 1].family, gaps->items[i].family) != 0)
            add_page_of(charts, &page, gaps->items[i].family);
    free(page.case_);
    free(page.point);
}

/*
 * Rooflines: flop per second of each variant over the intensity of its case, with the limits of
 * peaks and measured ceilings. A case has a number beside its best point; the key lists the names.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/charts/charts.h"

#define ONE_PAGE   30  /* points; more points make a page per family */
#define PAGE_MOST  300 /* points per page: those nearest to the limit */
#define NAMED_MOST 4   /* variants of a case in the key, on a page of few points */
#define LARGE      1.0 /* point sizes */
#define SMALL      0.45
/* numbers of best points nearer than these factors share a label */
#define NEAR_X        1.1
#define NEAR_Y        1.2
#define GREY          0x9e9e9e
#define SHARED_COLOUR 0x424242

/* Points of one page, by case, the best valid point of each case first. */
struct page {
    const struct sg_sol_table *gaps; /* borrowed */
    const struct sg_gap **point;     /* owned; the points are borrowed */
    size_t *case_;                   /* owned; number of each point's case, from 0 */
    size_t count;
};

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

/* Cases in the order of the run, highest points first. Invalid points come last at any height,
 * because they are not the best of their case. */
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

static void sort_by_case(struct page *page)
{
    qsort(page->point, page->count, sizeof(*page->point), by_case);
    page->case_[0] = 0;
    for (size_t i = 1; i < page->count; i++)
        page->case_[i] =
            page->case_[i - 1] + (compare_cases(page->point[i - 1], page->point[i]) != 0);
}

static bool is_best(const struct page *page, size_t i)
{
    return i == 0 || page->case_[i - 1] != page->case_[i];
}

static int colour_of(size_t case_)
{
    static const int colours[] = {0x1565c0, 0xef6c00, 0x2e7d32, 0xad1457, 0x6a1b9a, 0x00838f,
                                  0x5d4037, 0xc62828, 0x9e9d24, 0x283593, 0x546e7a, 0xb7950b};
    return colours[case_ % (sizeof(colours) / sizeof(colours[0]))];
}

/* ---- roofs ---- */

static bool is_used(const struct page *page, enum sg_dtype dtype)
{
    for (size_t i = 0; i < page->count; i++)
        if (page->point[i]->work.flop[dtype] > 0)
            return true;
    return false;
}

/* y PEAK|CEILING corner has_slope has_level words: the line up to `flop`, and on from there. */
static void add_roof(struct sg_chart *chart, enum sg_chart_line kind, double bytes_per_s,
                     double flop, bool has_slope, bool has_level, const char *words)
{
    sg_line_begin(chart, flop, kind);
    sg_line_numbers(chart, flop / bytes_per_s, has_slope, has_level);
    sg_line_word(chart, words);
}

static void add_rates(struct sg_text *words, const char *of, double peak, double ceiling,
                      const char *unit)
{
    sg_text_addf(words, "%s%s ", words->length > 0 ? "; " : "", of);
    sg_add_rate(words, peak, unit);
    if (ceiling > 0) {
        sg_text_add(words, ", measured ");
        sg_add_rate(words, ceiling, unit);
    }
}

/* The formats of a page that have this format's peak share its line, and its words. The first of
 * them adds the words; for the others they are empty. */
static void add_format_words(const struct page *page, enum sg_dtype dtype, struct sg_text *words)
{
    const double *peak = page->gaps->spec.flop_per_s;
    for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++) {
        if (!is_used(page, d) || peak[d] != peak[dtype])
            continue;
        if (d < dtype)
            return;
        add_rates(words, sg_dtype_word(d), peak[d], page->gaps->ceilings.flop_per_s[d], "flop/s");
    }
}

static void add_roofs(const struct page *page, struct sg_chart *chart)
{
    const struct sg_gpu_spec *spec = &page->gaps->spec;
    const struct sg_ceilings *ceilings = &page->gaps->ceilings;
    const double bytes = spec->dram_bytes_per_s, measured = ceilings->dram_bytes_per_s;
    double lowest = INFINITY;
    for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++) {
        const double peak = spec->flop_per_s[d], ceiling = ceilings->flop_per_s[d];
        SG_SCOPED(sg_text) words = {0};
        if (!is_used(page, d))
            continue;
        add_format_words(page, d, &words);
        lowest = fmin(lowest, peak);
        add_roof(chart, SG_LINE_PEAK, bytes, peak, true, true, sg_text_string(&words));
        if (measured > 0 || ceiling > 0)
            add_roof(chart, SG_LINE_CEILING, measured > 0 ? measured : bytes,
                     ceiling > 0 ? ceiling : peak, measured > 0, ceiling > 0, "");
    }
    SG_SCOPED(sg_text) words = {0};
    add_rates(&words, "DRAM", bytes, measured, "B/s");
    sg_line_begin(chart, lowest, SG_LINE_SLOPE_WORDS);
    sg_line_numbers(chart, lowest / bytes);
    sg_line_word(chart, words.data);
}

/* ---- points ---- */

static int marker_of(const struct sg_gap *gap)
{
    if (gap->refusal)
        return SG_CROSS;
    return sg_gap_is(gap, SG_BASELINE) ? SG_SQUARE
           : sg_gap_is(gap, SG_VENDOR) ? SG_DIAMOND
                                       : SG_DISC;
}

/* Index of the first point of the next case. */
static size_t end_of_case(const struct page *page, size_t first)
{
    size_t end = first + 1;
    while (end < page->count && page->case_[end] == page->case_[first])
        end++;
    return end;
}

/* "2 matvec/r64_c64_f32: cublas, vec16_rows, 3 more": from the best down. A page of many points
 * names the best only. */
static void add_case_to_key(const struct page *page, size_t first, struct sg_chart *chart)
{
    const struct sg_gap *best = page->point[first];
    const size_t all = end_of_case(page, first) - first, most = page->count > ONE_PAGE ? 1
                                                                : all > NAMED_MOST + 1 ? NAMED_MOST
                                                                                       : all;
    SG_SCOPED(sg_text) line = {0};
    sg_text_addf(&line, "%zu %s/%s: ", page->case_[first] + 1, best->family, best->case_);
    for (size_t i = 0; i < most; i++)
        sg_text_addf(&line, "%s%s", i > 0 ? ", " : "", page->point[first + i]->variant);
    if (most > 1 && most < all)
        sg_text_addf(&line, ", %zu more", all - most);
    sg_chart_key(chart, SG_DISC, 0.9, colour_of(page->case_[first]), line.data);
}

static void add_point(const struct page *page, size_t i, struct sg_chart *chart)
{
    const struct sg_gap *gap = page->point[i];
    const int marker = marker_of(gap);
    sg_line_begin(chart, gap->flop_per_s, SG_LINE_POINT);
    sg_line_numbers(chart, gap->sol.intensity, colour_of(page->case_[i]), marker,
                    is_best(page, i) || marker != SG_DISC ? LARGE : SMALL);
}

/* Adds the key, points and span of the case that begins at `first`: a line from its lowest point
 * to its highest. Returns the start of the next case. */
static size_t add_case(const struct page *page, size_t first, struct sg_chart *chart)
{
    const struct sg_gap *lowest = page->point[first], *highest = lowest;
    const size_t end = end_of_case(page, first);
    add_case_to_key(page, first, chart);
    for (size_t i = first; i < end; i++) {
        const struct sg_gap *gap = page->point[i];
        lowest = gap->flop_per_s < lowest->flop_per_s ? gap : lowest;
        highest = gap->flop_per_s > highest->flop_per_s ? gap : highest;
        add_point(page, i, chart);
    }
    sg_line_begin(chart, lowest->flop_per_s, SG_LINE_SPAN);
    sg_line_numbers(chart, lowest->sol.intensity, highest->sol.intensity - lowest->sol.intensity,
                    highest->flop_per_s - lowest->flop_per_s, colour_of(page->case_[first]));
    return end;
}

static bool are_near(const struct sg_gap *a, const struct sg_gap *b)
{
    return fabs(log(a->sol.intensity / b->sol.intensity)) < log(NEAR_X) &&
           fabs(log(a->flop_per_s / b->flop_per_s)) < log(NEAR_Y);
}

/* Adds the number of each case beside its best point; neighbours share a label: "9, 11". */
static void add_numbers(const struct page *page, struct sg_chart *chart)
{
    SG_FREED bool *is_done = sg_alloc(page->count, sizeof(*is_done));
    for (size_t i = 0; i < page->count; i++) {
        SG_SCOPED(sg_text) words = {0};
        size_t rightmost = i, count = 0;
        for (size_t k = i; is_best(page, i) && !is_done[i] && k < page->count; k++) {
            if (!is_best(page, k) || is_done[k] || !are_near(page->point[i], page->point[k]))
                continue;
            sg_text_addf(&words, "%s%zu", count++ > 0 ? ", " : "", page->case_[k] + 1);
            rightmost = page->point[k]->sol.intensity > page->point[rightmost]->sol.intensity
                            ? k
                            : rightmost;
            is_done[k] = k > i;
        }
        if (count == 0)
            continue;
        sg_line_begin(chart, page->point[rightmost]->flop_per_s, SG_LINE_WORDS);
        sg_line_numbers(chart, page->point[rightmost]->sol.intensity,
                        count > 1 ? SHARED_COLOUR : colour_of(page->case_[i]));
        sg_line_word(chart, words.data);
    }
}

static void add_points(const struct page *page, struct sg_chart *chart)
{
    static const struct {
        int type;
        double size;
        const char *words;
    } marks[] = {{SG_SQUARE, 1, "baseline"},
                 {SG_DIAMOND, 1, "vendor"},
                 {SG_DISC, 1, "candidate, the best of its case"},
                 {SG_DISC, SMALL, "candidate"}};
    const struct sg_ceilings *ceilings = &page->gaps->ceilings;
    for (size_t i = 0; i < page->count;)
        i = add_case(page, i, chart);
    add_numbers(page, chart);
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        sg_chart_key(chart, marks[i].type, marks[i].size, GREY, marks[i].words);
    sg_chart_key(chart, SG_KEY_LINE, 1.6, 0x424242, "peak");
    if (sg_ceilings_any(ceilings)) {
        SG_SCOPED(sg_text) words = {0};
        sg_text_addf(&words, "measured, %s L2", sg_l2_word(ceilings->l2));
        sg_chart_key(chart, SG_KEY_DASHES, 1.4, 0xb26a00, words.data);
    }
}

/* ---- pages ---- */

static void add_page(struct sg_charts *charts, struct page *page, const char *family,
                     size_t left_out)
{
    struct sg_chart chart = {
        .script = "roofline.gp",
        .title = "Roofline: what is reached, below what can be",
        .axis = "intensity, flop per compulsory byte (logarithmic)",
        .read = "A point is a variant: how many flop a second over how many flop its case has for "
                "each compulsory byte. The solid lines are the peaks of this GPU, which hardly "
                "anything can exceed; the dashed ones are what was measured on it. Under the slope "
                "memory binds, under the level arithmetic. Squares are baselines, diamonds a "
                "vendor's library, discs candidates, small ones not the best of their case; a "
                "cross is invalid. A thin line joins the points of a case. The number of the case "
                "stands beside the best of them, the highest that is no cross. The key has that "
                "number and the variants from the best down; where points are many, the best.",
    };
    const size_t all = page->count;
    page->count = all < PAGE_MOST ? all : PAGE_MOST;
    sort_by_case(page);
    if (family && sg_is_name(family))
        snprintf(chart.name, sizeof(chart.name), "roofline_%s", family);
    else
        snprintf(chart.name, sizeof(chart.name), "roofline");
    if (all > page->count)
        sg_chart_show(&chart, "%zu of %zu points, those nearest to the limit; all in gap.csv",
                      page->count, all);
    if (left_out > 0)
        sg_chart_show(&chart, "%zu without arithmetic or bytes have no place here; see gap.csv",
                      left_out);
    add_roofs(page, &chart);
    add_points(page, &chart);
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
static void add_page_of(struct sg_charts *charts, struct page *page, const char *family)
{
    page->count = take_points(page->gaps, family, page->point);
    if (page->count > 0)
        add_page(charts, page, family, timed_of(page->gaps, family) - page->count);
}

void sg_chart_rooflines(const struct sg_sol_table *gaps, struct sg_charts *charts)
{
    struct page page = {
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

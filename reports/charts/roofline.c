/*
 * Rooflines: flop per second of each variant over the intensity of its case, with the limits of
 * peaks and measured ceilings. On a page of few points each has the letter of its variant; on a
 * page of many, the best of each case has the number of the case. The key lists both.
 */
#include <math.h>
#include <string.h>

#include "reports/charts/charts.h"

#define LARGE 1.0 /* point sizes */
#define SMALL 0.6
/* labels of points nearer than these factors are one */
#define NEAR_X 1.1
#define NEAR_Y 1.5
#define GREY   0x424242 /* colour of a label that several cases share */

/* The points of a page, by case, the best valid point of each case first. */
struct page {
    const struct sg_sol_table *gaps;
    const struct sg_entry *entries;
    size_t count;
    struct sg_names variants; /* on a page of few points; in the order of their letters */
};

static const struct sg_gap *point(const struct page *page, size_t i)
{
    return &page->gaps->items[page->entries[i].index];
}

/* A case without arithmetic or without bytes has no place on a roofline. */
static bool has_place(const struct sg_gap *gap)
{
    return isfinite(gap->sol.intensity) && gap->sol.intensity > 0 && gap->flop_per_s > 0;
}

static bool is_best(const struct page *page, size_t i)
{
    return i == 0 || !sg_gap_same_case(point(page, i - 1), point(page, i));
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
        if (point(page, i)->work.flop[dtype] > 0)
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

/* Number formats of a page with the same peak share a line and its label. The first format adds the
 * label; the label of the others is empty. */
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

/* The letter of a point's variant; none on a page of many points. */
static char letter_of(const struct page *page, size_t i)
{
    for (size_t k = 0; k < page->variants.count; k++)
        if (strcmp(page->variants.items[k], point(page, i)->variant) == 0)
            return (char)(k < 26 ? 'a' + k : 'A' + k - 26);
    return '\0';
}

/* Adds the points and the span of the case that begins at `first`: a line from its lowest point
 * to its highest. Returns the start of the next case. */
static size_t add_case(const struct page *page, size_t first, size_t number, struct sg_chart *chart)
{
    const struct sg_gap *lowest = point(page, first), *highest = lowest;
    const int colour = colour_of(number - 1);
    SG_SCOPED(sg_text) words = {0};
    size_t i = first;
    do {
        const struct sg_gap *gap = point(page, i);
        lowest = gap->flop_per_s < lowest->flop_per_s ? gap : lowest;
        highest = gap->flop_per_s > highest->flop_per_s ? gap : highest;
        sg_line_begin(chart, gap->flop_per_s, SG_LINE_POINT);
        sg_line_numbers(chart, gap->sol.intensity, colour, gap->refusal ? SG_CROSS : SG_DISC,
                        i == first || gap->refusal ? LARGE : SMALL);
    } while (++i < page->count && !is_best(page, i));
    const struct sg_gap *best = point(page, first);
    if (page->variants.count == 0)
        sg_text_addf(&words, "%zu %s/%s: %s", number, SG_NAMES(*best));
    else
        sg_text_addf(&words, "%s/%s", best->family, best->case_);
    sg_chart_key(chart, SG_DISC, LARGE, colour, words.data);
    sg_line_begin(chart, lowest->flop_per_s, SG_LINE_SPAN);
    sg_line_numbers(chart, lowest->sol.intensity, highest->sol.intensity - lowest->sol.intensity,
                    highest->flop_per_s - lowest->flop_per_s, colour);
    return i;
}

static bool are_near(const struct sg_gap *a, const struct sg_gap *b)
{
    return fabs(log(a->sol.intensity / b->sol.intensity)) < log(NEAR_X) &&
           fabs(log(a->flop_per_s / b->flop_per_s)) < log(NEAR_Y);
}

/* Adds the letters of all points, or the numbers of the best ones; neighbours share a label:
 * "9, 11". */
static void add_labels(const struct page *page, struct sg_chart *chart)
{
    SG_FREED bool *is_done = sg_alloc(page->count, sizeof(*is_done));
    const bool has_letters = page->variants.count > 0;
    for (size_t i = 0, case_ = 0; i < page->count; i++) {
        SG_SCOPED(sg_text) words = {0};
        const struct sg_gap *right = point(page, i);
        case_ += is_best(page, i);
        int colour = colour_of(case_ - 1);
        for (size_t k = i, number = case_; k < page->count; k++) {
            number += k > i && is_best(page, k);
            if (is_done[k] || is_done[i] || !are_near(point(page, i), point(page, k)) ||
                !(has_letters || (is_best(page, i) && is_best(page, k))))
                continue;
            if (has_letters)
                sg_text_addf(&words, "%s%c", words.length > 0 ? ", " : "", letter_of(page, k));
            else
                sg_text_addf(&words, "%s%zu", words.length > 0 ? ", " : "", number);
            colour = number == case_ ? colour : GREY;
            right = point(page, k)->sol.intensity > right->sol.intensity ? point(page, k) : right;
            is_done[k] = k > i;
        }
        if (words.length == 0)
            continue;
        sg_line_begin(chart, right->flop_per_s, SG_LINE_WORDS);
        sg_line_numbers(chart, right->sol.intensity, colour);
        sg_line_word(chart, words.data);
    }
}

/* "a vec16_rows (baseline)" */
static void add_letters(const struct page *page, struct sg_chart *chart)
{
    for (size_t k = 0; k < page->variants.count; k++)
        for (size_t i = 0; i < page->count; i++)
            if (strcmp(page->variants.items[k], point(page, i)->variant) == 0) {
                SG_FORMATTED(words, "%c ", letter_of(page, i));
                sg_add_gap_label(&words, point(page, i));
                sg_chart_key(chart, SG_DISC, 0, GREY, words.data);
                break;
            }
}

static void add_points(const struct page *page, struct sg_chart *chart)
{
    const struct sg_ceilings *ceilings = &page->gaps->ceilings;
    for (size_t i = 0, number = 1; i < page->count; number++)
        i = add_case(page, i, number, chart);
    add_labels(page, chart);
    add_letters(page, chart);
    for (size_t i = 0; i < page->count; i++)
        if (point(page, i)->refusal) {
            sg_chart_key(chart, SG_CROSS, LARGE, GREY, "invalid");
            break;
        }
    sg_chart_key(chart, SG_KEY_LINE, 1.6, 0x424242, "peak");
    if (sg_ceilings_any(ceilings)) {
        SG_FORMATTED(words, "measured, %s L2", sg_l2_word(ceilings->l2));
        sg_chart_key(chart, SG_KEY_DASHES, 1.4, 0xb26a00, words.data);
    }
}

/* ---- pages ---- */

/* Counts the variants of the page's families that were timed and have no place. */
static void show_left_out(const struct page *page, struct sg_chart *chart)
{
    size_t left_out = 0;
    for (size_t i = 0; i < page->gaps->count; i++)
        for (size_t k = 0; k < page->count; k++)
            if (strcmp(page->gaps->items[i].family, page->entries[k].family) == 0) {
                left_out += isfinite(page->gaps->items[i].gap) && !has_place(&page->gaps->items[i]);
                break;
            }
    if (left_out > 0)
        sg_chart_show(chart, "%zu without arithmetic or bytes are not drawn; see gap.csv",
                      left_out);
}

static void draw_page(void *context, const struct sg_entry *entries, size_t count,
                      struct sg_chart *chart)
{
    struct page *page = context;
    page->entries = entries;
    page->count = count;
    for (size_t i = 0; i < count && count <= SG_ROOFLINE_ROWS; i++)
        if (!sg_names_have(&page->variants, point(page, i)->variant))
            sg_names_add(&page->variants, point(page, i)->variant);
    show_left_out(page, chart);
    add_roofs(page, chart);
    add_points(page, chart);
    sg_names_release(&page->variants);
}

/* Cases in the order of the run, highest points first. Invalid points come last at any height,
 * because they are not the best of their case. */
void sg_chart_rooflines(const struct sg_sol_table *gaps, struct sg_charts *charts)
{
    static const struct sg_chart_kind kind = {
        .name = "roofline",
        .script = "roofline.gp",
        .title = "Roofline: reached and attainable flop per second",
        .axis = "intensity, flop per compulsory byte (logarithmic)",
        .table = "gap.csv",
        .weight = "those nearest to the limit",
        .page_most = SG_ROOFLINE_ROWS,
        .page_rows = 300,
        .read =
            "A point is a variant: its flop per second over the flop of its case per compulsory "
            "byte. Memory limits a point under the slope, arithmetic one under the level. The "
            "dashed ceilings were measured on this GPU.",
        .begin = draw_page,
    };
    struct page page = {.gaps = gaps};
    struct sg_entries entries = {0};
    for (size_t i = 0; i < gaps->count; i++) {
        const struct sg_gap *gap = &gaps->items[i];
        if (has_place(gap))
            sg_entries_add(&entries,
                           &(struct sg_entry){SG_NAMED(*gap),
                                              .order = gap->refusal ? -1 / (1 + gap->flop_per_s)
                                                                    : -1 - gap->flop_per_s,
                                              .weight = -gap->gap, .index = i});
    }
    sg_chart_pages(charts, &kind, &page, &entries);
}

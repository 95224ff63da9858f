/* Rooflines as data: who is the best of a case, that the key fits beside the drawing, and
 * that names stand below the roof. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "near.h"
#include "reports/charts/charts.h"

#define PEAK        1000e12
#define BYTES_PER_S 5e12
#define MANY        120 /* cases */

/* A variant of family g that reaches so many flop/s. */
struct reached {
    const char *case_, *variant;
    double intensity, flop_per_s;
    bool cross;
};

static void make_chart(const struct reached *reached, size_t count, struct sg_charts *charts)
{
    static const struct sg_refusal refusal = {.finding = SG_TOO_FAST};
    struct sg_gap *items = sg_alloc(count, sizeof(*items));
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct sg_gap){
            .family = "g",
            .case_ = reached[i].case_,
            .variant = reached[i].variant,
            .role = "candidate",
            .work.flop[SG_BF16] = 1,
            .sol = {.dtype = SG_BF16, .intensity = reached[i].intensity},
            .gap = 1 / reached[i].flop_per_s,
            .flop_per_s = reached[i].flop_per_s,
            .refusal = reached[i].cross ? &refusal : NULL,
        };
    }
    struct sg_sol_table gaps = {
        .spec = {.dram_bytes_per_s = BYTES_PER_S}, .items = items, .count = count};
    gaps.spec.flop_per_s[SG_BF16] = PEAK;
    sg_chart_rooflines(&gaps, charts);
    free(items);
    assert_int_equal(charts->count, 1);
}

/* The next line of that kind from *at on, split at its tabs; false: there is none. */
struct line {
    double y, number[4]; /* a word is 0 */
    char word[64];       /* the second field behind the kind */
};

static bool next_line(const char **at, enum sg_chart_line kind, struct line *line)
{
    while (**at) {
        int is = -1, length = 0;
        *line = (struct line){0};
        sscanf(*at, "%lf\t%d\t%lf\t%63[^\t\n]%n", &line->y, &is, &line->number[0], line->word,
               &length);
        sscanf(*at + length, "\t%lf\t%lf", &line->number[2], &line->number[3]);
        line->number[1] = strtod(line->word, NULL);
        *at += strcspn(*at, "\n");
        *at += **at == '\n';
        if (is == (int)kind)
            return true;
    }
    return false;
}

TEST(what_cannot_be_is_not_the_best)
{
    static const struct reached reached[] = {{"c", "slow", 100, 1e14, false},
                                             {"c", "beyond", 100, 9e14, true},
                                             {"c", "best", 100, 3e14, false},
                                             {"d", "cross", 50, 9e14, true}};
    struct sg_charts charts = {0};
    make_chart(reached, COUNT(reached), &charts);
    assert_string_equal(charts.items[0].legend.data,
                        "g/c best g/d cross -"); /* a case of nothing else has no better one */
    struct line line;
    const char *at = charts.items[0].data.data;
    for (size_t i = 0; next_line(&at, SG_LINE_POINT, &line); i++) {
        static const double flop_per_s[] = {3e14, 1e14, 9e14, 9e14};
        assert_near("order of the points", line.y, flop_per_s[i], 1e6);
        assert_int_equal(line.number[3] == 1, line.y != 1e14); /* large, but the slow one */
    }
    at = charts.items[0].data.data;
    assert_true(next_line(&at, SG_LINE_SPAN, &line));
    assert_near("foot of the span", line.y, 1e14, 1e6);
    assert_near("height of the span", line.number[2], 8e14, 1e6);
    at = charts.items[0].data.data;
    size_t numbered = 0;
    while (next_line(&at, SG_LINE_WORDS_RIGHT, &line) || next_line(&at, SG_LINE_WORDS_LEFT, &line))
        numbered += strcmp(line.word, "1 best") == 0;
    assert_int_equal(numbered, 1);
    sg_charts_release(&charts);
}

/* Pixels of the right margin. */
static double margin(const struct reached *reached, size_t count)
{
    struct sg_charts charts = {0};
    make_chart(reached, count, &charts);
    const double right = charts.items[0].right;
    sg_charts_release(&charts);
    return right;
}

TEST(the_key_fits_beside_the_drawing)
{
    const double character = 9.8, marks = 70;
    static const struct reached few[] = {{"c", "a", 100, 1e14, false},
                                         {"c", "b", 100, 2e14, false}};
    assert_near("its own lines", margin(few, COUNT(few)),
                marks + character * (double)strlen("candidate, the best of its case"), 1e-9);

    /* Of 120 cases the last has the longest name: its number has three digits. */
    static char name[MANY][64];
    struct reached many[MANY];
    for (int i = 0; i < MANY; i++) {
        snprintf(name[i], sizeof(name[i]),
                 i < MANY - 1 ? "c%03d" : "c%03d_that_has_the_longest_name_of_all", i);
        many[i] = (struct reached){name[i], "a", 100, 1e14, false};
    }
    const char *longest = "120 g/c119_that_has_the_longest_name_of_all: a";
    assert_near("cases from 100 on", margin(many, MANY),
                marks + character * (double)strlen(longest), 1e-9);
}

/* Two points beside each other, at many heights below the slope: the name of the
 * left one has to go left, or down. */
TEST(a_name_on_the_left_is_below_the_roof_where_it_begins)
{
    size_t seen = 0;
    for (int step = 10; step < 200; step++) {
        const double share = step / 200.0;
        const struct reached reached[] = {{"c", "a_name", 40, share * 40 * BYTES_PER_S, false},
                                          {"d", "a_name", 43, share * 40 * BYTES_PER_S, false}};
        struct sg_charts charts = {0};
        make_chart(reached, COUNT(reached), &charts);
        const struct sg_chart *chart = &charts.items[0];
        const double x_pixel = log(chart->x_high / chart->x_low) / chart->width;
        const double y_pixel = log(chart->y_high / chart->y_low) / chart->height;
        const char *at = chart->data.data;
        for (struct line line; next_line(&at, SG_LINE_WORDS_LEFT, &line); seen++) {
            const double left = line.number[0] * exp(-7.6 * (double)strlen(line.word) * x_pixel),
                         top = line.y * exp(7.5 * y_pixel);
            if (top > left * BYTES_PER_S * (1 + 1e-6))
                fail_msg("at %g of the roof, a name reaches %g where the roof is %g", share, top,
                         left * BYTES_PER_S);
        }
        sg_charts_release(&charts);
    }
    assert_true(seen > 10);
}

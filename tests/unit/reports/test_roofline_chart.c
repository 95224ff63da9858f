/* Rooflines as data: who is the best of a case, and which cases share a number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "near.h"
#include "reports/charts/charts.h"

#define PEAK        1000e12
#define BYTES_PER_S 5e12

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
    char word[64];       /* the third field behind the kind */
};

static bool next_line(const char **at, enum sg_chart_line kind, struct line *line)
{
    while (**at) {
        int is = -1, length = 0;
        *line = (struct line){0};
        sscanf(*at, "%lf\t%d\t%lf\t%lf\t%63[^\t\n]%n", &line->y, &is, &line->number[0],
               &line->number[1], line->word, &length);
        sscanf(*at + length, "\t%lf", &line->number[3]);
        line->number[2] = strtod(line->word, NULL);
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
    assert_non_null(strstr(charts.items[0].legend.data, "a\302\240best "));
    assert_non_null(strstr(charts.items[0].legend.data, "d\302\240cross "));
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
    assert_true(next_line(&at, SG_LINE_WORDS, &line));
    assert_near("the letter of the best", line.y, 3e14, 1e6);
    assert_string_equal(line.word, "a");
}

TEST(neighbours_share_a_label)
{
    static const struct reached reached[] = {
        {"c", "a", 100, 1e14, false}, {"d", "x", 105, 1.1e14, false}, {"e", "a", 400, 1e14, false}};
    struct sg_charts charts = {0};
    make_chart(reached, COUNT(reached), &charts);
    struct line line = {0};
    const char *at = charts.items[0].data.data;
    assert_true(next_line(&at, SG_LINE_WORDS, &line));
    assert_string_equal(line.word, "a, b");
    assert_near("next to the right point", line.number[0], 105, 1e-6);
    assert_true(next_line(&at, SG_LINE_WORDS, &line));
    assert_string_equal(line.word, "a");
    assert_false(next_line(&at, SG_LINE_WORDS, &line));
}

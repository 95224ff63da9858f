/* metrics/diagnose/dimension_series.h: which cases of a run are a series, what the extra
 * time of each is, and how it is told. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "hand_tables.h"
#include "near.h"
#include "reports/tables/ranking.h"

#define CASES_MAX 5

/* A case with its baseline, `base`, of 20 us, and a variant that takes `ratio` times as long. */
struct measured {
    const char *shape; /* NULL: no more of them */
    double ratio, se;
    const char *format;  /* of the work; NULL: bf16 */
    const char *partner; /* NULL: base */
    uint32_t n;          /* processes; 0: five */
    enum sg_status l2, base_l2;
};

static void add_case(struct sg_table *run, const char *name, const struct measured *measured)
{
    char metric[32], against[32];
    struct sg_value rows[] = {
        hand_time("base", 20000, 1e-3),
        hand_words("next", "shape", SG_OK, measured->shape),
        hand_ratio("next", measured->ratio, measured->se),
        hand_number("next", metric, 1e9),
        hand_words("next", "l2_state", measured->l2, ""),
        hand_words("base", "l2_state", measured->base_l2, ""),
    };
    snprintf(metric, sizeof(metric), "work_flop_%s", measured->format ? measured->format : "bf16");
    snprintf(against, sizeof(against), "against %s", measured->partner ? measured->partner : "base");
    rows[2].message = against;
    rows[2].n = measured->n ? measured->n : rows[2].n;
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i].case_ = name;
        sg_table_add(run, &rows[i]);
    }
}

static size_t find(const struct measured cases[CASES_MAX], struct sg_dimension_series found[SG_MAX_DIMS])
{
    static const char *const name[CASES_MAX] = {"a", "b", "c", "d", "e"};
    struct sg_table run = {0};
    struct sg_err err = {0};
    for (size_t i = 0; i < CASES_MAX && cases[i].shape; i++)
        add_case(&run, name[i], &cases[i]);
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    const size_t count = sg_dimension_series_find(&(struct sg_dimension_series_start){&run, "f", "a", "next"}, found);
    sg_table_release(&run);
    return count;
}

#define OF(words, times) .shape = words, .ratio = times, .se = 1e-3
#define THREE                                        \
    {OF("m=8 k=512", 1.2)}, {OF("m=8 k=2048", 1.1)}, \
    {                                                \
        OF("m=8 k=1024", 1.15)                       \
    }

static const struct {
    const char *sentence;
    struct measured cases[CASES_MAX];
    size_t values; /* of k; 0: no series */
} rows[] = {
    {"three cases that differ in k alone are a series", {THREE}, 3},
    {"two are none", {{OF("m=8 k=512", 1.2)}, {OF("m=8 k=1024", 1.2)}}, 0},
    {"a case that differs in m too is not of it", {THREE, {OF("m=9 k=4096", 1.2)}}, 3},
    {"nor is one in another number format", {THREE, {OF("m=8 k=4096", 1.2), .format = "e4m3"}}, 3},
    {"nor one whose pair is with another variant", {THREE, {OF("m=8 k=4096", 1.2), .partner = "other"}}, 3},
    {"nor one of four processes", {THREE, {OF("m=8 k=4096", 1.2), .n = 4}}, 3},
    {"nor one whose ratio has no error", {THREE, {.shape = "m=8 k=4096", .ratio = 1.2}}, 3},
    {"nor one whose extra time is beyond what numbers hold", {THREE, {OF("m=8 k=4096", 1e308)}}, 3},
    {"nor one whose error's square is", {THREE, {OF("m=8 k=4096", 1e160)}}, 3},
    {"nor one whose L2 was not as declared", {THREE, {OF("m=8 k=4096", 1.2), .l2 = SG_WRONG}}, 3},
    {"nor one whose baseline's was not", {THREE, {OF("m=8 k=4096", 1.2), .base_l2 = SG_WRONG}}, 3},
    {"nor one whose dimension is no number", {THREE, {OF("m=8 k=many", 1.2)}}, 3},
    {"nor one with another dimension in its place", {THREE, {OF("m=8 l=4096", 1.2)}}, 3},
    {"nor one with a dimension more", {THREE, {OF("m=8 k=4096 l=1", 1.2)}}, 3},
    {"two cases of one shape differ in what is not told: no series", {THREE, {OF("m=8 k=1024", 1.2)}}, 0},
    {"nor is there one where the item's own shape is that of another case", {THREE, {OF("m=8 k=512", 1.2)}}, 0},
    {"nor where the item itself has no extra time to tell",
     {{OF("m=8 k=512", 1.2), .n = 4}, {OF("m=8 k=1024", 1.2)}, {OF("m=8 k=2048", 1.2)}, {OF("m=8 k=4096", 1.2)}},
     0},
    {"a case that is faster is of it as well", {THREE, {OF("m=8 k=4096", 0.9)}}, 4},
};

TEST(test_which_cases_are_a_series)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_dimension_series found[SG_MAX_DIMS];
        const size_t count = find(rows[i].cases, found);
        if (count != (rows[i].values > 0))
            fail_msg("%s: %zu series", rows[i].sentence, count);
        if (count == 1 && (found[0].count != rows[i].values || strcmp(found[0].dimension, "k") != 0))
            fail_msg("%s: %zu values of %s", rows[i].sentence, found[0].count, found[0].dimension);
    }
}

TEST(test_there_is_a_series_for_each_dimension)
{
    static const struct measured cases[CASES_MAX] = {
        {OF("m=16 k=512", 1.2)}, {OF("m=16 k=1024", 1.2)}, {OF("m=16 k=2048", 1.2)}, {OF("m=8 k=512", 1.2)}, {OF("m=32 k=512", 1.2)}};
    struct sg_dimension_series found[SG_MAX_DIMS];
    assert_int_equal(find(cases, found), 2);
    assert_string_equal(found[0].dimension, "m");
    assert_string_equal(found[1].dimension, "k");
    assert_int_equal(found[1].count, 3);
    assert_near("the item's own m", found[0].extra[found[0].own].x, 16, 0);
    assert_near("largest m", found[0].extra[2].x, 32, 0);
}

TEST(test_each_of_many_cases_is_in_its_own_series)
{
    enum { CASES = 120 };
    struct sg_table run = {0};
    struct sg_err err = {0};
    char name[CASES][8], shape[CASES][32];
    for (int i = 0; i < CASES; i++) {
        snprintf(name[i], sizeof(name[i]), "c%03d", i);
        /* 40 values of k for m = 1, and pairs of m beyond that; the last is there twice. */
        snprintf(shape[i], sizeof(shape[i]), "m=%d k=%d", i < 40 ? 1 : i / 2,
                 i < 40           ? 512 + i
                 : i == CASES - 1 ? 512 + CASES - 2
                                  : 512 + i);
        add_case(&run, name[i], &(struct measured){OF(shape[i], 1.1 + 0.001 * i)});
    }
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    for (int i = 0; i < CASES; i++) {
        struct sg_dimension_series found[SG_MAX_DIMS];
        const size_t count = sg_dimension_series_find(&(struct sg_dimension_series_start){&run, "f", name[i], "next"}, found);
        assert_int_equal(count, i < 40 ? 1 : 0);
        if (count == 0)
            continue;
        assert_int_equal(found[0].count, SG_SERIES_MAX);
        for (size_t k = 1; k < SG_SERIES_MAX; k++)
            assert_true(found[0].extra[k - 1].x < found[0].extra[k].x);
        /* Its own case is there even where the first 32 would leave no room for it. */
        assert_near("its own", found[0].extra[found[0].own].x, 512 + i, 0);
        assert_near("its own extra time", found[0].extra[found[0].own].ns, 20000 * (0.1 + 0.001 * i), 1e-6);
    }
    sg_table_release(&run);
}

/* extra = (ratio - 1) T; its error that of the ratio, T ratio se, and of T, extra se; degrees of
 * freedom by Welch and Satterthwaite. */
TEST(test_the_extra_time_is_that_of_the_pair)
{
    static const struct measured cases[CASES_MAX] = {THREE};
    struct sg_dimension_series found[SG_MAX_DIMS];
    assert_int_equal(find(cases, found), 1);
    const struct sg_extra *first = &found[0].extra[0], *last = &found[0].extra[2];
    const double of_ratio = 20000 * 1.2 * 1e-3, of_time = 4000 * 1e-3;
    assert_near("the least x", first->x, 512, 0);
    assert_near("the largest x", last->x, 2048, 0);
    assert_near("its time", first->ns, 4000, 1e-6);
    assert_near("the other's", last->ns, 2000, 1e-6);
    assert_near("its error", first->se, hypot(of_ratio, of_time), 1e-6);
    assert_near("its freedom", first->df, 4 * pow(first->se, 4) / (pow(of_ratio, 4) + pow(of_time, 4)), 1e-6);
}

static const struct {
    const char *sentence;
    struct sg_dimension_series series;
    const char *says;
    const char *again; /* of the second case, where it is told below another */
} told[] = {
    {"what is the same",
     {"k", "base", {{512, 4300, 50, 4}, {1024, 4340, 50, 4}, {2048, 4240, 50, 4}}, 3, 1},
     "costs 4.30 us more than base at k=512, 4.34 at 1024, 4.24 at 2048: the same for all k (-0.05 +- 0.10 us per 1000 of k): a cost of "
     "each launch, or of each block or tile if k makes no more of them",
     "costs 4.34 us more than base at k=1024: the same for all k: see first above"},
    {"what grows, in the unit of its largest",
     {"k", "base", {{512, 500, 10, 4}, {1024, 1000, 10, 4}, {2048, 2000, 10, 4}}, 3, 1},
     "costs 0.500 us more than base at k=512, 1.000 at 1024, 2.000 at 2048: grows with k (+0.977 +- 0.021 us per 1000 of k)",
     "costs 1.000 us more than base at k=1024: grows with k: see first above"},
    {"what shrinks, over few values",
     {"groups", "base", {{2, 40, 1, 4}, {3, 30, 1, 4}, {4, 20, 1, 4}}, 3, 1},
     "costs 40.0 ns more than base at groups=2, 30.0 at 3, 20.0 at 4: shrinks with groups (-10.0 +- 1.6 ns per 1 of groups)",
     "costs 30.0 ns more than base at groups=3: shrinks with groups: see first above"},
    {"what nobody can tell",
     {"k", "base", {{512, 4300, 3000, 4}, {1024, 4400, 3000, 4}, {2048, 4200, 3000, 4}}, 3, 1},
     "costs 4.3 us more than base at k=512, 4.4 at 1024, 4.2 at 2048: unknown whether that changes with k (-0.1 +- 6.3 us per 1000 of "
     "k)",
     "costs 4.4 us more than base at k=1024: unknown whether that changes with k: see first above"},
};

TEST(test_a_series_is_told_in_words)
{
    for (size_t i = 0; i < COUNT(told); i++) {
        struct sg_text text = {0}, again = {0};
        print_message("%s\n", told[i].sentence);
        sg_add_scaling(&text, &told[i].series);
        assert_string_equal(sg_text_string(&text), told[i].says);
        sg_add_scaling_again(&again, &told[i].series, "first");
        assert_string_equal(sg_text_string(&again), told[i].again);
        sg_text_release(&again);
        sg_text_release(&text);
    }
}

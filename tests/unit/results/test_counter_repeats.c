/* results/counter_repeats.h: what several counts of one launch say, what a row keeps of them, and
 * what two counters may differ by. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "results/counter_repeats.h"
#include "util/random.h"

/* A row as a run's file would have it. */
static struct sg_row row_of(struct sg_table *table, struct sg_value value)
{
    value.family = "f";
    value.case_ = "c";
    value.variant = "v";
    value.metric = "m";
    sg_table_add(table, &value);
    return table->rows[table->count - 1];
}

TEST(every_other_turn_goes_backwards)
{
    static const size_t order[] = {0, 1, 2, 2, 1, 0, 0, 1, 2};
    for (size_t i = 0; i < COUNT(order); i++)
        assert_int_equal(sg_counter_repeats_item(3, i), order[i]);
    assert_int_equal(sg_counter_repeats_item(1, 4), 0);
}

TEST(what_a_row_keeps)
{
    static const struct {
        const char *sentence;
        struct sg_counter_repeats repeats;
        bool exact;
        double value, low, high; /* NaN: none */
        const char *message;
    } rows[] = {
        ROW("one count is what it is", LIST(LIST(540), 1), false, 540, NAN, NAN, ""),
        ROW("the median is not pulled by one far off", LIST(LIST(3, 1, 2, 90, 4), 5), false, 3, 1,
            90, "each: 3 1 2 90 4"),
        ROW("of an even number it lies between the middle two", LIST(LIST(4, 1, 2, 8), 4), false, 3,
            1, 8, "each: 4 1 2 8"),
        ROW("counts that are the same need no list", LIST(LIST(7, 7, 7), 3), false, 7, 7, 7, ""),
        ROW("an exact counter is the same each time", LIST(LIST(1000, 1000), 2), true, 1000, 1000,
            1000, ""),
        ROW("one that is not says so", LIST(LIST(979, 1000, 1021), 3), true, 1000, 979, 1021,
            "does not repeat: 979 1000 1021"),
        ROW("below zero too", LIST(LIST(-1.5, 2.25), 2), false, 0.375, -1.5, 2.25,
            "each: -1.5 2.25"),
        ROW("nine digits are kept", LIST(LIST(1.0 / 3, 2e9), 2), false, (1.0 / 3 + 2e9) / 2,
            1.0 / 3, 2e9, "each: 0.333333333 2e+09"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_value value = {.unit = "1"};
        SG_SCOPED(sg_text) message = {0};
        sg_counter_repeats_summarise(&rows[i].repeats, &value);
        sg_counter_repeats_add_message(&message, &rows[i].repeats, rows[i].exact);
        const bool ranged = (value.has & SG_HAS_LOW) && (value.has & SG_HAS_HIGH);
        if (value.value != rows[i].value || value.n != rows[i].repeats.count ||
            ranged == isnan(rows[i].low) ||
            (ranged && (value.low != rows[i].low || value.high != rows[i].high)) ||
            strcmp(sg_text_string(&message), rows[i].message) != 0)
            fail_msg("%s: %g [%g, %g] of %u, '%s'", rows[i].sentence, value.value, value.low,
                     value.high, (unsigned)value.n, sg_text_string(&message));
        SG_SCOPED(sg_table) table = {0};
        struct sg_counter_repeats back;
        value.message = sg_text_string(&message);
        const struct sg_row row = row_of(&table, value);
        if (sg_counter_repeats_read(&table, &row, &back) != ranged)
            fail_msg("%s: is not what it was made of", rows[i].sentence);
        for (size_t k = 0; ranged && k < back.count; k++)
            if (fabs(back.value[k] - rows[i].repeats.value[k]) > 1e-9 * fabs(back.value[k]))
                fail_msg("%s: count %zu is read as %.17g", rows[i].sentence, k, back.value[k]);
    }
}

TEST(rows_that_do_not_tell)
{
    static const uint8_t range = SG_HAS_VALUE | SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N;
    static const struct {
        const char *sentence;
        struct sg_value value;
    } rows[] = {
        ROW("passes of an older run are no counts",
            LIST(.value = 5, .n = 14, .has = SG_HAS_VALUE | SG_HAS_N)),
        ROW("the list was taken away",
            LIST(.value = 5, .low = 4, .high = 6, .n = 3, .has = range, .message = "")),
        ROW("a list is of as many as the row says",
            LIST(.value = 5, .low = 4, .high = 6, .n = 3, .has = range, .message = "each: 4 6")),
        ROW("words are no numbers",
            LIST(.value = 5, .low = 4, .high = 6, .n = 2, .has = range, .message = "each: 4 six")),
        ROW("nor is nothing",
            LIST(.value = 5, .low = 4, .high = 6, .n = 2, .has = range, .message = "each: 4  6")),
        ROW("nor what is endless",
            LIST(.value = 5, .low = 4, .high = 6, .n = 2, .has = range, .message = "each: 4 inf")),
        ROW("another message", LIST(.value = 5, .low = 4, .high = 6, .n = 2, .has = range,
                                    .message = "limited by each: 4 6")),
        ROW("more than there is room for",
            LIST(.value = 5, .low = 5, .high = 5, .n = 17, .has = range, .message = "")),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_table) table = {0};
        struct sg_counter_repeats repeats;
        const struct sg_row row = row_of(&table, rows[i].value);
        if (sg_counter_repeats_read(&table, &row, &repeats))
            fail_msg("%s: %zu counts were read", rows[i].sentence, repeats.count);
    }
}

TEST(what_wanders_from_turn_to_turn_cancels)
{
    static const struct {
        const char *sentence;
        struct sg_counter_repeats a, b;
        double mean, spread; /* NaN: no difference is told */
    } rows[] = {
        {"the same drift on both sides", {{10, 20, 30, 40}, 4}, {{12, 22, 32, 42}, 4}, 2, 0},
        /* t of 4 degrees of freedom at 0.999, 7.17318, times sd 1.58114 over the root of 5 */
        {"a spread of its own", {{0, 0, 0, 0, 0}, 5}, {{1, 2, 3, 4, 5}, 5}, 3, 5.07220},
        /* t of 1 degree of freedom at 0.999, 318.309, times sd 0.707107 over the root of 2 */
        {"two turns tell next to nothing", {{0, 0}, 2}, {{1, 2}, 2}, 1.5, 159.154},
        {"one turn tells nothing", {{1}, 1}, {{2}, 1}, NAN, NAN},
        {"turns that do not correspond", {{1, 2}, 2}, {{1, 2, 3}, 3}, NAN, NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_counter_repeats_difference d = {NAN, NAN};
        const bool told = sg_counter_repeats_subtract(&rows[i].a, &rows[i].b, &d);
        if (told == isnan(rows[i].mean) ||
            (told && (d.mean != rows[i].mean || fabs(d.spread - rows[i].spread) > 1e-3)))
            fail_msg("%s: %g +- %g", rows[i].sentence, d.mean, d.spread);
    }
}

TEST(a_counter_that_only_wanders_is_named_in_two_of_a_thousand)
{
    const unsigned rounds = 20000;
    unsigned named = 0;
    uint64_t random = 7;
    for (unsigned round = 0; round < rounds; round++) {
        struct sg_counter_repeats a = {.count = SG_REPEATS_GATE}, b = a;
        struct sg_counter_repeats_difference d;
        for (size_t i = 0; i < a.count; i++) {
            a.value[i] = 100 + sg_random_normal(&random);
            b.value[i] = 100 + sg_random_normal(&random);
        }
        assert_true(sg_counter_repeats_subtract(&a, &b, &d));
        named += fabs(d.mean) > d.spread;
    }
    /* 40 are expected; five standard deviations of that either way */
    if (named < 9 || named > 71)
        fail_msg("%u of %u", named, rounds);
}

TEST(what_rows_of_two_runs_may_differ_by)
{
    static const struct {
        const char *sentence;
        double was_low, was_high, is_low, is_high,
            sd_day; /* NaN: not there; the accepted value is 100 */
        double spread;
    } rows[] = {
        {"above: how far it reached up, and how far this reaches down", 90, 102, 107, 113, NAN, 5},
        {"below: the other way round", 90, 102, 80, 86, NAN, 13},
        {"one count then is taken to wander like those of now", NAN, NAN, 107, 113, NAN, 6},
        {"and the other way round", 98, 102, NAN, NAN, NAN, 4},
        {"three times what accepted runs differ by", NAN, NAN, NAN, NAN, 0.02, 6},
        {"whichever is wider: the runs", 99, 101, 99, 101, 0.02, 6},
        {"whichever is wider: the ranges", 90, 110, 90, 110, 0.02, 20},
        {"nothing is known of either", NAN, NAN, NAN, NAN, NAN, NAN},
        {"counts that are the same each time", 100, 100, 105, 105, NAN, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_row then = {
            .value = 100,
            .low = rows[i].was_low,
            .high = rows[i].was_high,
            .has =
                (uint8_t)(SG_HAS_VALUE | (isnan(rows[i].was_low) ? 0 : SG_HAS_LOW | SG_HAS_HIGH))};
        const struct sg_row now = {
            .value = isnan(rows[i].is_low) ? 110 : (rows[i].is_low + rows[i].is_high) / 2,
            .low = rows[i].is_low,
            .high = rows[i].is_high,
            .has =
                (uint8_t)(SG_HAS_VALUE | (isnan(rows[i].is_low) ? 0 : SG_HAS_LOW | SG_HAS_HIGH))};
        const struct sg_accepted accepted = {.sd_day = rows[i].sd_day};
        const double spread = sg_counter_spread(&then, &now, &accepted);
        if (isnan(spread) != isnan(rows[i].spread) || fabs(spread - rows[i].spread) > 1e-12)
            fail_msg("%s: %g", rows[i].sentence, spread);
        if (isnan(rows[i].sd_day) && isnan(sg_counter_spread(&then, &now, NULL)) != isnan(spread))
            fail_msg("%s: not so of a run", rows[i].sentence);
    }
}

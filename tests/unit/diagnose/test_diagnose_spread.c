/* metrics/diagnose/diagnose.h: what several counts of a counter say of it: whether it moved by more
 * than it wanders, and whether it repeats. */
#include <stdlib.h>

#include "check.h"
#include "diagnose_fixture.h"

/* One side of a counter, as a row of n counts has it. */
struct counted {
    double value, low, high; /* low NaN: counted once */
    const char *each;        /* message, NULL: none */
};

static void add_counted(struct sg_table *table, const char *variant, const char *metric,
                        const struct counted *side)
{
    struct sg_value row = {.family = "f",
                           .case_ = "c",
                           .variant = variant,
                           .metric = metric,
                           .value = side->value,
                           .has = SG_HAS_VALUE};
    row.low = side->low;
    row.high = side->high;
    row.n = 3;
    row.message = side->each;
    if (!isnan(side->low))
        row.has |= SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N;
    sg_table_add(table, &row);
}

static const struct spread_row {
    const char *sentence;
    const char *metric;
    struct counted base, next;
    double difference, spread; /* of what is looked at; spread NaN: not known */
    bool moves, within_spread, non_repeatable;
} spread_rows[] = {
    ROW("counted once: the floors alone", "stall_wait", LIST(90, NAN, NAN, NULL),
        LIST(121, NAN, NAN, NULL), 31, NAN, true, false, false),
    ROW("the same drift on both sides cancels", "stall_wait",
        LIST(100, 50, 150, "each: 50 100 150"), LIST(131, 80, 182, "each: 80 131 182"), 31,
        12.8906, /* t of 2 degrees of freedom at 0.999, 22.3271, over the root of 3 */
        true, false, false),
    ROW("drift that does not cancel", "stall_wait", LIST(100, 50, 150, "each: 50 100 150"),
        LIST(131, 80, 182, "each: 182 80 131"), 31, 1127.54, false, true, false),
    ROW("a list on one side only: ranges that meet", "stall_wait",
        LIST(100, 50, 150, "each: 50 100 150"), LIST(131, 80, 182, NULL), 31, 101, false, true,
        false),
    ROW("ranges that lie apart", "stall_wait", LIST(100, 95, 105, NULL), LIST(131, 126, 136, NULL),
        31, 10, true, false, false),
    ROW("within the floor it is no matter of spread", "stall_wait", LIST(100, 50, 150, NULL),
        LIST(101, 80, 182, NULL), 1, 71, false, false, false),
    ROW("an exact counter that repeats", "registers", LIST(32, 32, 32, NULL),
        LIST(33, 33, 33, NULL), 1, 0, true, false, false),
    ROW("an exact counter that does not repeat, and moved", "global_load_requests",
        LIST(1000, 1000, 1000, NULL), LIST(1010, 1010, 1030, "does not repeat: 1010 1010 1030"), 10,
        0, true, false, true),
    ROW("an exact counter that does not repeat", "global_load_requests",
        LIST(1000, 979, 1021, "does not repeat: 979 1000 1021"),
        LIST(1010, 990, 1030, "does not repeat: 990 1010 1030"), 10, 41, false, true, true),
    ROW("within its floors an exact counter may wander", "global_store_sectors",
        LIST(1000, 985, 1010, "does not repeat: 985 1000 1010"), LIST(1000, 1000, 1000, NULL), 0,
        15, false, false, false),
};

/* What all that was looked at, one counter, comes to. */
static void check_looked_at(const struct spread_row *row, const struct sg_diagnosed *what)
{
    struct sg_counter_change *all = calloc(what->catalogue->count, sizeof(*all));
    assert_non_null(all);
    assert_int_equal(sg_diagnose_all(what, all), 1);
    const struct sg_counter_change one = all[0];
    free(all);
    assert_near(row->sentence, one.difference, row->difference, 1e-9);
    assert_int_equal(isnan(one.spread), isnan(row->spread));
    if (!isnan(row->spread))
        assert_near(row->sentence, one.spread, row->spread, 1e-3 * row->spread);
    if (one.non_repeatable != row->non_repeatable)
        fail_msg("%s: repeats, or not", row->sentence);
    if (sg_is_within_spread(&one) != row->within_spread)
        fail_msg("%s: within its spread, or not", row->sentence);
}

TEST(a_change_must_pass_its_spread_to_count)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    for (size_t i = 0; i < COUNT(spread_rows); i++) {
        const struct spread_row *row = &spread_rows[i];
        SG_SCOPED(sg_table) run = {0};
        struct sg_err err = {0};
        struct sg_counter_change moved[MOVED_MAX];
        add_counted(&run, "base", row->metric, &row->base);
        add_counted(&run, "next", row->metric, &row->next);
        assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
        const struct sg_diagnosed what = fixture_case(&fixture, &run, "c");
        check_looked_at(row, &what);
        if (sg_diagnose(&what, moved, MOVED_MAX) != row->moves)
            fail_msg("%s: named, or not", row->sentence);
    }
}

TEST(the_further_beyond_its_spread_the_higher_it_stands)
{
    /* The same distance in floors; one moved by 3 of its spreads, the other by 20. */
    static const struct counted base = {100, 99, 101, NULL}, wide = {200, 168, 232, NULL},
                                narrow = {200, 196, 204, NULL};
    struct fixture fixture;
    SG_SCOPED(sg_table) run = {0};
    struct sg_err err = {0};
    struct sg_counter_change moved[MOVED_MAX];
    fixture_begin(&fixture);
    add_counted(&run, "base", "stall_sleeping", &base);
    add_counted(&run, "next", "stall_sleeping", &wide);
    add_counted(&run, "base", "stall_selected", &base);
    add_counted(&run, "next", "stall_selected", &narrow);
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    const struct sg_diagnosed what = fixture_case(&fixture, &run, "c");
    assert_int_equal(sg_diagnose(&what, moved, MOVED_MAX), 2);
    assert_string_equal(moved[0].metric->name, "stall_selected");
    assert_true(moved[0].score > moved[1].score);
}

static const struct {
    const char *sentence;
    double sd_day;
    bool moves;
} nights[] = {
    {"runs that differ by a fifth", 0.2, false},
    {"runs that differ by a twentieth", 0.05, true},
    {"one run", NAN, true},
};

TEST(accepted_counters_have_the_spread_of_their_runs)
{
    static const struct counted was = {100, NAN, NAN, NULL}, is = {131, NAN, NAN, NULL};
    struct fixture fixture;
    fixture_begin(&fixture);
    for (size_t i = 0; i < COUNT(nights); i++) {
        SG_SCOPED(sg_table) then = {0}, now = {0};
        struct sg_counter_change moved[MOVED_MAX];
        const struct sg_accepted accepted = {.sd_day = nights[i].sd_day};
        add_counted(&then, "v", "stall_wait", &was);
        add_counted(&now, "v", "stall_wait", &is);
        struct sg_diagnosed what = fixture_case(&fixture, &now, "c");
        what.then = &then;
        what.accepted = &accepted;
        what.other = what.variant = "v";
        if (sg_diagnose(&what, moved, MOVED_MAX) != nights[i].moves)
            fail_msg("%s: named, or not", nights[i].sentence);
    }
}

/* Which counters count as moved, in which order they come, and what the shipped rules say about it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose.h"
#include "temp_home.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOVED_MAX    32

struct change {
    const char *metric;
    double was, is; /* NaN: the row says that it is not a number */
};

/* The shipped catalogue and rules, and two tables of one row each. */
struct fixture {
    struct sg_catalogue catalogue;
    struct sg_rules *rules;
};

static void begin(struct fixture *fixture)
{
    struct sg_err err = {0};
    if (sg_catalogue_load(&fixture->catalogue, &err) != SG_DONE || sg_rules_load(&fixture->catalogue, &fixture->rules, &err) != SG_DONE)
        fail_msg("%s: %s", err.where, err.message);
}

static void end(struct fixture *fixture)
{
    sg_rules_free(fixture->rules);
    sg_catalogue_release(&fixture->catalogue);
}

static void add(struct sg_table *table, const char *variant, const char *metric, double value)
{
    const struct sg_value row = {
        .family = "f",
        .case_ = "c",
        .variant = variant,
        .metric = metric,
        .value = value,
        .has = SG_HAS_VALUE,
        .status = SG_OK,
    };
    sg_table_add(table, &row);
}

/* "next" against "base" in one table. */
static struct sg_diagnosed of_case(const struct fixture *fixture, const struct sg_table *run, const char *case_)
{
    return (struct sg_diagnosed){
        .catalogue = &fixture->catalogue,
        .rules = fixture->rules,
        .then = run,
        .now = run,
        .family = "f",
        .case_ = case_,
        .other = "base",
        .variant = "next",
    };
}

/* Both variants in one table, as they stand in one run. */
static size_t diagnose(const struct fixture *fixture, const struct change *changes, size_t count, struct sg_moved moved[MOVED_MAX])
{
    struct sg_table run;
    struct sg_err err = {0};
    sg_table_init(&run);
    for (size_t i = 0; i < count && changes[i].metric; i++) {
        add(&run, "base", changes[i].metric, changes[i].was);
        add(&run, "next", changes[i].metric, changes[i].is);
    }
    assert_int_equal(sg_table_sort(&run, &err), SG_DONE);
    const struct sg_diagnosed what = of_case(fixture, &run, "c");
    const size_t got = sg_diagnose(&what, moved, MOVED_MAX);
    sg_table_release(&run);
    return got;
}

static void a_change_must_pass_its_floors_to_count(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct change change;
        bool moves;
    } rows[] = {
        {"an exact counter by one", {"registers", 40, 41}, true},
        {"an exact counter that stays", {"registers", 40, 40}, false},
        {"an exact counter from nothing", {"local_store_sectors", 0, 1}, true},
        {"an exact counter to nothing", {"local_store_sectors", 1, 0}, true},
        {"an exact counter within its band", {"instructions", 1e6, 1e6 + 900}, false},
        {"an exact counter over its band", {"instructions", 1e6, 1e6 + 1100}, true},
        {"a noisy one over both floors", {"l2_hit_rate", 50, 52}, true},
        {"a noisy one on its floor", {"l2_hit_rate", 40, 41}, false},
        {"over the floor, under the ratio", {"l2_hit_rate", 90, 91.5}, false},
        {"over the ratio, under the floor", {"stall_barrier", 1, 4}, false},
        {"a noisy one from nothing", {"stall_barrier", 0, 50}, true},
        {"a noisy one from nothing, under its floor", {"stall_barrier", 0, 4}, false},
        {"not a number before", {"l2_hit_rate", NAN, 50}, false},
        {"not a number now", {"l2_hit_rate", 50, NAN}, false},
        {"the time is no cause", {"time", 1000, 2000}, false},
        {"the model is no cause", {"work_flop_f32", 1000, 2000}, false},
        {"a metric that nobody knows", {"magic", 1, 2}, false},
    };
    struct fixture fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_moved moved[MOVED_MAX];
        const size_t count = diagnose(&fixture, &rows[i].change, 1, moved);
        if (count != rows[i].moves)
            fail_msg("%s: %zu moved", rows[i].name, count);
        if (count == 1)
            assert_true(moved[0].score > 1 && moved[0].was == rows[i].change.was && moved[0].is == rows[i].change.is && moved[0].cause);
    }
    end(&fixture);
}

static void the_cause_comes_first_and_says_what_it_means(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct change changes[12];
        const char *first, *says;
    } rows[] = {
        {"spills begin",
         {{"local_store_sectors", 0, 4096},
          {"local_load_sectors", 0, 8192},
          {"local_memory", 0, 96},
          {"registers", 168, 128},
          {"stall_long_scoreboard", 100, 400},
          {"instructions", 1e6, 1.2e6},
          {"cycles", 1e5, 1.5e5}},
         "local_store_sectors",
         "registers spill to local memory"},
        {"16-byte loads became 4-byte ones",
         {{"global_load_requests", 1e4, 4e4},
          {"global_load_sectors_per_request", 16, 4},
          {"instructions", 1e6, 2.5e6},
          {"issue_active", 20, 45},
          {"stall_lg_throttle", 5, 60},
          {"global_load_sectors", 16e4, 16e4}},
         "global_load_requests",
         "narrower loads"},
        {"a warp no longer loads neighbours",
         {{"global_load_sectors", 4e4, 32e4},
          {"global_load_requests", 1e4, 1e4},
          {"global_load_sectors_per_request", 4, 32},
          {"l1_hit_rate", 0, 60},
          {"stall_long_scoreboard", 500, 3000},
          {"dram_read_bytes", 1e8, 1.4e8}},
         "global_load_sectors_per_request",
         "uncoalesced"},
        {"shared memory conflicts",
         {{"shared_load_wavefronts", 1e5, 8e5},
          {"shared_conflicts_per_wavefront", 0.01, 0.87},
          {"shared_load_conflicts", 1e3, 7e5},
          {"stall_mio_throttle", 10, 300},
          {"stall_short_scoreboard", 50, 400}},
         "shared_load_wavefronts",
         "bank conflicts"},
        {"more registers cost occupancy",
         {{"registers", 64, 72}, {"occupancy_theoretical", 50, 37.5}, {"occupancy_achieved", 48, 36}, {"issue_active", 60, 50}},
         "occupancy_theoretical",
         "fewer warps fit"},
        {"reuse in L2 is lost",
         {{"l2_hit_rate", 80, 30}, {"dram_read_bytes", 1e8, 4e8}, {"dram_throughput", 40, 90}, {"stall_long_scoreboard", 300, 320}},
         "dram_read_bytes",
         "L2 holds less"},
        {"warps wait for each other",
         {{"stall_barrier", 20, 250}, {"stall_wait", 30, 31}, {"issue_active", 70, 50}, {"cycles", 1e5, 1.4e5}, {"ipc", 2.8, 2.0}},
         "stall_barrier",
         "barriers"},
        {"a pipeline with fewer stages",
         {{"shared_dynamic", 200000, 100000}, {"stall_barrier", 20, 90}, {"pipe_tensor", 80, 60}, {"cycles", 1e5, 1.3e5}},
         "shared_dynamic",
         "too few stages"},
        {"the profiler's clock is no cause",
         {{"counted_clock", 1.98e9, 1.4e9}, {"counted_time", 1e5, 1.4e5}, {"stall_wait", 100, 130}},
         "stall_wait",
         "independent chains"},
    };
    struct fixture fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_moved moved[MOVED_MAX];
        const size_t count = diagnose(&fixture, rows[i].changes, COUNT(rows[i].changes), moved);
        assert_true(count > 0);
        if (strcmp(moved[0].metric->name, rows[i].first) != 0 || !strstr(moved[0].cause, rows[i].says))
            fail_msg("%s: first is %s, '%s'", rows[i].name, moved[0].metric->name, moved[0].cause);
        for (size_t j = 1; j < count; j++)
            assert_true(moved[j - 1].score >= moved[j].score && moved[j].score > 1);
    }
    end(&fixture);
}

static void an_exact_counter_that_moved_much_stands_above_any_noisy_one(void **state)
{
    (void)state;
    static const struct change changes[] = {{"not_there", 0, 0},
                                            {"stall_misc", 1, 1e6},
                                            {"l1_to_l2_write_sectors", 0, 1e12},
                                            {"sm_throughput", 1, 99},
                                            {"global_load_requests", 1000, 1300}};
    struct fixture fixture;
    struct sg_moved moved[MOVED_MAX];
    begin(&fixture);
    assert_int_equal(diagnose(&fixture, changes, COUNT(changes), moved), 4);
    assert_string_equal(moved[0].metric->name, "global_load_requests");
    end(&fixture);
}

static void a_metric_without_a_rule_speaks_for_itself(void **state)
{
    (void)state;
    static const struct change change = {"stall_sleeping", 0, 80};
    struct fixture fixture;
    struct sg_moved moved[MOVED_MAX];
    begin(&fixture);
    assert_int_equal(diagnose(&fixture, &change, 1, moved), 1);
    assert_string_equal(moved[0].cause, moved[0].metric->meaning);
    end(&fixture);
}

static void no_more_than_asked_for_the_first_ones(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sg_table run;
    struct sg_err err = {0};
    struct sg_moved moved[1];
    sg_table_init(&run);
    begin(&fixture);
    for (int v = 0; v < 2; v++) {
        const char *variant = v ? "next" : "base";
        add(&run, variant, "registers", v ? 33 : 32);
        add(&run, variant, "instructions", v ? 9e6 : 1e6);
    }
    assert_int_equal(sg_table_sort(&run, &err), SG_DONE);
    const struct sg_diagnosed there = of_case(&fixture, &run, "c"), elsewhere = of_case(&fixture, &run, "other");
    assert_int_equal(sg_diagnose(&there, moved, 1), 1);
    assert_string_equal(moved[0].metric->name, "instructions");
    assert_int_equal(sg_diagnose(&elsewhere, moved, 1), 0);
    end(&fixture);
    sg_table_release(&run);
}

/* One side of a counter, as a row of n counts has it. */
struct counted {
    double value, low, high; /* low NaN: counted once */
    const char *each;        /* message, NULL: none */
};

static void add_counted(struct sg_table *table, const char *variant, const char *metric, const struct counted *side)
{
    struct sg_value row = {.family = "f", .case_ = "c", .variant = variant, .metric = metric, .value = side->value, .has = SG_HAS_VALUE};
    row.low = side->low;
    row.high = side->high;
    row.n = 3;
    row.message = side->each;
    if (!isnan(side->low))
        row.has |= SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N;
    sg_table_add(table, &row);
}

static const struct {
    const char *sentence;
    const char *metric;
    struct counted base, next;
    double difference, spread; /* of what is looked at; spread NaN: not known */
    bool moves, within_spread;
} spread_rows[] = {
    {"counted once: the floors alone", "stall_wait", {90, NAN, NAN, NULL}, {121, NAN, NAN, NULL}, 31, NAN, true, false},
    {"the same drift on both sides cancels",
     "stall_wait",
     {100, 50, 150, "each: 50 100 150"},
     {131, 80, 182, "each: 80 131 182"},
     31,
     12.8906, /* t of 2 degrees of freedom at 0.999, 22.3271, over the root of 3 */
     true,
     false},
    {"drift that does not cancel",
     "stall_wait",
     {100, 50, 150, "each: 50 100 150"},
     {131, 80, 182, "each: 182 80 131"},
     31,
     1127.54,
     false,
     true},
    {"a list on one side only: ranges that meet",
     "stall_wait",
     {100, 50, 150, "each: 50 100 150"},
     {131, 80, 182, NULL},
     31,
     101,
     false,
     true},
    {"ranges that lie apart", "stall_wait", {100, 95, 105, NULL}, {131, 126, 136, NULL}, 31, 10, true, false},
    {"within the floor it is no matter of spread", "stall_wait", {100, 50, 150, NULL}, {101, 80, 182, NULL}, 1, 71, false, false},
    {"an exact counter that repeats", "registers", {32, 32, 32, NULL}, {33, 33, 33, NULL}, 1, 0, true, false},
    {"an exact counter that does not repeat, and moved",
     "global_load_requests",
     {1000, 1000, 1000, NULL},
     {1010, 1010, 1030, "does not repeat: 1010 1010 1030"},
     10,
     0,
     true,
     false},
    {"an exact counter that does not repeat",
     "global_load_requests",
     {1000, 979, 1021, "does not repeat: 979 1000 1021"},
     {1010, 990, 1030, "does not repeat: 990 1010 1030"},
     10,
     41,
     false,
     true},
};

static void a_change_must_pass_its_spread_to_count(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(spread_rows); i++) {
        struct sg_table run;
        struct sg_err err = {0};
        sg_table_init(&run);
        add_counted(&run, "base", spread_rows[i].metric, &spread_rows[i].base);
        add_counted(&run, "next", spread_rows[i].metric, &spread_rows[i].next);
        assert_int_equal(sg_table_sort(&run, &err), SG_DONE);
        const struct sg_diagnosed what = of_case(&fixture, &run, "c");
        struct sg_moved *all = calloc(fixture.catalogue.count, sizeof(*all)), moved[MOVED_MAX];
        assert_non_null(all);
        assert_int_equal(sg_diagnose_all(&what, all), 1);
        if (fabs(all[0].difference - spread_rows[i].difference) > 1e-9 || isnan(all[0].spread) != isnan(spread_rows[i].spread) ||
            fabs(all[0].spread - spread_rows[i].spread) > 1e-3 * spread_rows[i].spread)
            fail_msg("%s: %g +- %g", spread_rows[i].sentence, all[0].difference, all[0].spread);
        const bool wanders = spread_rows[i].base.low < spread_rows[i].base.high || spread_rows[i].next.low < spread_rows[i].next.high;
        if (all[0].restless != (all[0].metric->klass == SG_EXACT && wanders))
            fail_msg("%s: repeats, or not", spread_rows[i].sentence);
        if (sg_is_within_spread(&all[0]) != spread_rows[i].within_spread)
            fail_msg("%s: within its spread, or not", spread_rows[i].sentence);
        if (sg_diagnose(&what, moved, MOVED_MAX) != spread_rows[i].moves)
            fail_msg("%s: named, or not", spread_rows[i].sentence);
        free(all);
        sg_table_release(&run);
    }
    end(&fixture);
}

static void the_further_beyond_its_spread_the_higher_it_stands(void **state)
{
    (void)state;
    /* The same distance in floors; one moved by 3 of its spreads, the other by 20. */
    static const struct counted base = {100, 99, 101, NULL}, wide = {200, 168, 232, NULL}, narrow = {200, 196, 204, NULL};
    struct fixture fixture;
    struct sg_table run;
    struct sg_err err = {0};
    struct sg_moved moved[MOVED_MAX];
    sg_table_init(&run);
    begin(&fixture);
    add_counted(&run, "base", "stall_sleeping", &base);
    add_counted(&run, "next", "stall_sleeping", &wide);
    add_counted(&run, "base", "stall_selected", &base);
    add_counted(&run, "next", "stall_selected", &narrow);
    assert_int_equal(sg_table_sort(&run, &err), SG_DONE);
    const struct sg_diagnosed what = of_case(&fixture, &run, "c");
    assert_int_equal(sg_diagnose(&what, moved, MOVED_MAX), 2);
    assert_string_equal(moved[0].metric->name, "stall_selected");
    assert_true(moved[0].score > moved[1].score);
    end(&fixture);
    sg_table_release(&run);
}

static void accepted_counters_have_the_spread_of_their_runs(void **state)
{
    (void)state;
    static const struct counted was = {100, NAN, NAN, NULL}, is = {131, NAN, NAN, NULL};
    static const struct {
        const char *sentence;
        double sd_day;
        bool moves;
    } rows[] = {
        {"runs that differ by a fifth", 0.2, false},
        {"runs that differ by a twentieth", 0.05, true},
        {"one run", NAN, true},
    };
    struct fixture fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_table then, now;
        struct sg_moved moved[MOVED_MAX];
        const struct sg_accepted accepted = {.sd_day = rows[i].sd_day};
        sg_table_init(&then);
        sg_table_init(&now);
        add_counted(&then, "v", "stall_wait", &was);
        add_counted(&now, "v", "stall_wait", &is);
        struct sg_diagnosed what = of_case(&fixture, &now, "c");
        what.then = &then;
        what.accepted = &accepted;
        what.other = what.variant = "v";
        if (sg_diagnose(&what, moved, MOVED_MAX) != rows[i].moves)
            fail_msg("%s: named, or not", rows[i].sentence);
        sg_table_release(&then);
        sg_table_release(&now);
    }
    end(&fixture);
}

static void tables_of_two_runs_are_compared_by_name(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sg_table then, now;
    struct sg_err err = {0};
    struct sg_moved moved[MOVED_MAX];
    sg_table_init(&then);
    sg_table_init(&now);
    begin(&fixture);
    add(&then, "v", "registers", 32);
    add(&then, "v", "grid", 100);
    add(&now, "v", "registers", 64);
    assert_int_equal(sg_table_sort(&then, &err), SG_DONE);
    assert_int_equal(sg_table_sort(&now, &err), SG_DONE);
    struct sg_diagnosed what = of_case(&fixture, &now, "c");
    what.then = &then;
    what.other = what.variant = "v";
    assert_int_equal(sg_diagnose(&what, moved, MOVED_MAX), 1);
    assert_true(moved[0].was == 32 && moved[0].is == 64);
    end(&fixture);
    sg_table_release(&then);
    sg_table_release(&now);
}

#define METRICS                                                                     \
    "[a]\nunit = B\nbetter = lower\nclass = exact\ncupti = x.sum\nmeaning = an a\n" \
    "[b]\nunit = B\nbetter = lower\nclass = exact\ncupti = y.sum\nmeaning = a b\n"  \
    "[time]\nunit = ns\nbetter = lower\nclass = exact\nfrom = time\nmeaning = m\n"
#define GROUP "[group]\ntitle = t\nread = r\nmetric = a\n"

static void a_wrong_rule_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *place, *part;
    } rows[] = {
        {"an unknown metric", "[r]\nmetric = c\n", ":2", "found 'c'"},
        {"a metric that is not counted", "[r]\nmetric = time\n", ":2", "that is counted"},
        {"an unknown direction", "[r]\nmetric = a\nmoved = sideways\n", ":3", "one of up down any"},
        {"an unknown key", "[r]\nthreshold = 3\n", ":2", "unknown key 'threshold'"},
        {"no sentence", "[r]\nmetric = a\nmoved = up\n", ":1", "'says' is missing"},
        {"no direction", "[r]\nmetric = a\nsays = s\n[q]\n", ":1", "'moved' is missing"},
        {"a ratio under 1", "[r]\nmetric = a\nmoved = up\nratio = 0.9\nsays = s\n", ":1", "at least 1"},
        {"a ratio of any direction", "[r]\nmetric = a\nmoved = any\nratio = 2\nsays = s\n", ":1", "found any"},
        {"a weight of nothing", "[r]\nmetric = a\nmoved = up\nweight = 0\nsays = s\n", ":1", "over 0"},
        {"a companion without direction", "[r]\nwith = b\n", ":2", "found 'b'"},
        {"a companion that goes anywhere", "[r]\nwith = b any\n", ":2", "found 'b any'"},
        {"a companion that nobody knows", "[r]\nwith = c up\n", ":2", "found 'c up'"},
        {"too many companions", "[r]\nwith = b up\nwith = b up\nwith = b up\nwith = b up\nwith = b up\n", ":6", "at most 4"},
        {"a name with capitals", "[R]\nmetric = a\nmoved = up\nsays = s\n", ":1", "found 'R'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct temp_home home;
        struct sg_catalogue catalogue;
        struct sg_rules *rules = NULL;
        struct sg_err err = {0};
        temp_home_begin(&home);
        temp_home_write(&home, "metrics/metrics.ini", METRICS);
        temp_home_write(&home, "metrics/groups/g.group", GROUP);
        temp_home_write(&home, "metrics/rules.ini", rows[i].text);
        assert_int_equal(sg_catalogue_load(&catalogue, &err), SG_DONE);
        if (sg_rules_load(&catalogue, &rules, &err) != SG_BAD_INPUT)
            fail_msg("%s: code %d (%s)", rows[i].name, err.code, err.message);
        assert_complaint(rows[i].name, err.where, err.message, rows[i].place, rows[i].part);
        assert_null(rules);
        sg_catalogue_release(&catalogue);
        temp_home_end(&home);
    }
}

static void conditions_of_a_rule_all_hold_and_the_first_rule_wins(void **state)
{
    (void)state;
    static const char text[] = "[low]\nmetric = a\nmoved = up\nis_at_most = 10\nsays = low\n"
                               "[from_high]\nmetric = a\nmoved = up\nwas_at_least = 100\nsays = from_high\n"
                               "[steep]\nmetric = a\nmoved = up\nratio = 4\nsays = steep\n"
                               "[both]\nmetric = a\nmoved = up\nwith = b down\nsays = both\n"
                               "[fell]\nmetric = a\nmoved = down\nwas_at_most = 50\nis_at_least = 1\nsays = fell\n"
                               "[never]\nmetric = a\nmoved = up\nratio = 4\nsays = never\n";
    static const struct {
        struct change changes[2];
        const char *says;
    } rows[] = {
        {{{"a", 1, 10}}, "low"},
        {{{"a", 1, 11}}, "steep"},
        {{{"a", 0, 11}}, "steep"},
        {{{"a", 100, 120}}, "from_high"},
        {{{"a", 99, 120}}, "an a"},
        {{{"a", 20, 30}, {"b", 3, 2}}, "both"},
        {{{"a", 20, 30}, {"b", 2, 3}}, "an a"},
        {{{"a", 50, 1}}, "fell"},
        {{{"a", 50, 0}}, "an a"},
        {{{"a", 51, 1}}, "an a"},
    };
    struct temp_home home;
    struct fixture fixture;
    temp_home_begin(&home);
    temp_home_write(&home, "metrics/metrics.ini", METRICS);
    temp_home_write(&home, "metrics/groups/g.group", GROUP);
    temp_home_write(&home, "metrics/rules.ini", text);
    begin(&fixture);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_moved moved[MOVED_MAX];
        const size_t count = diagnose(&fixture, rows[i].changes, COUNT(rows[i].changes), moved);
        const char *cause = NULL;
        for (size_t j = 0; j < count; j++)
            cause = strcmp(moved[j].metric->name, "a") == 0 ? moved[j].cause : cause;
        if (!cause || strcmp(cause, rows[i].says) != 0)
            fail_msg("row %zu: '%s', should be '%s'", i, cause ? cause : "nothing moved", rows[i].says);
    }
    end(&fixture);
    temp_home_end(&home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_must_pass_its_floors_to_count),
        cmocka_unit_test(the_cause_comes_first_and_says_what_it_means),
        cmocka_unit_test(an_exact_counter_that_moved_much_stands_above_any_noisy_one),
        cmocka_unit_test(a_metric_without_a_rule_speaks_for_itself),
        cmocka_unit_test(no_more_than_asked_for_the_first_ones),
        cmocka_unit_test(a_change_must_pass_its_spread_to_count),
        cmocka_unit_test(the_further_beyond_its_spread_the_higher_it_stands),
        cmocka_unit_test(accepted_counters_have_the_spread_of_their_runs),
        cmocka_unit_test(tables_of_two_runs_are_compared_by_name),
        cmocka_unit_test(a_wrong_rule_is_refused_with_its_line),
        cmocka_unit_test(conditions_of_a_rule_all_hold_and_the_first_rule_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* metrics/diagnose/diagnose.h: which counters count as moved between two variants or two
 * runs, and in which order they come. */
#include "check.h"
#include "diagnose_fixture.h"

static const struct {
    const char *name;
    struct change change;
    bool moves;
} floors[] = {
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

TEST(a_change_must_pass_its_floors_to_count)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    for (size_t i = 0; i < COUNT(floors); i++) {
        struct sg_counter_change moved[MOVED_MAX];
        const size_t count = fixture_diagnose(&fixture, &floors[i].change, 1, moved);
        if (count != floors[i].moves)
            fail_msg("%s: %zu moved", floors[i].name, count);
        if (count == 1)
            assert_true(moved[0].score > 1 && moved[0].was == floors[i].change.was &&
                        moved[0].is == floors[i].change.is);
    }
}

TEST(an_exact_counter_that_moved_much_stands_above_any_noisy_one)
{
    static const struct change changes[] = {{"not_there", 0, 0},
                                            {"stall_misc", 1, 1e6},
                                            {"l1_to_l2_write_sectors", 0, 1e12},
                                            {"sm_throughput", 1, 99},
                                            {"global_load_requests", 1000, 1300}};
    struct fixture fixture;
    struct sg_counter_change moved[MOVED_MAX];
    fixture_begin(&fixture);
    assert_int_equal(fixture_diagnose(&fixture, changes, COUNT(changes), moved), 4);
    assert_string_equal(moved[0].metric->name, "global_load_requests");
}

TEST(no_more_than_asked_for_the_first_ones)
{
    struct fixture fixture;
    SG_SCOPED(sg_table) run = {0};
    struct sg_err err = {0};
    struct sg_counter_change moved[1];
    fixture_begin(&fixture);
    for (int v = 0; v < 2; v++) {
        const char *variant = v ? "next" : "base";
        fixture_add(&run, variant, "registers", v ? 33 : 32);
        fixture_add(&run, variant, "instructions", v ? 9e6 : 1e6);
    }
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    const struct sg_diagnosed there = fixture_case(&fixture, &run, "c"),
                              elsewhere = fixture_case(&fixture, &run, "other");
    assert_int_equal(sg_diagnose(&there, moved, 1), 1);
    assert_string_equal(moved[0].metric->name, "instructions");
    assert_int_equal(sg_diagnose(&elsewhere, moved, 1), 0);
}

TEST(tables_of_two_runs_are_compared_by_name)
{
    struct fixture fixture;
    SG_SCOPED(sg_table) then = {0}, now = {0};
    struct sg_err err = {0};
    struct sg_counter_change moved[MOVED_MAX];
    fixture_begin(&fixture);
    fixture_add(&then, "v", "registers", 32);
    fixture_add(&then, "v", "grid", 100);
    fixture_add(&now, "v", "registers", 64);
    assert_int_equal(sg_table_sort(&then, &err), SG_SUCCESS);
    assert_int_equal(sg_table_sort(&now, &err), SG_SUCCESS);
    struct sg_diagnosed what = fixture_case(&fixture, &now, "c");
    what.then = &then;
    what.other = what.variant = "v";
    assert_int_equal(sg_diagnose(&what, moved, MOVED_MAX), 1);
    assert_true(moved[0].was == 32 && moved[0].is == 64);
}

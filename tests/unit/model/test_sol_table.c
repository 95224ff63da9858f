/* The order of a gap table: case by case, the baseline first, then by time. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "model/sol_table.h"
#include "results/env.h"

/* A variant of a run; its time in ns, NaN: it has none. */
struct line {
    const char *case_, *variant, *role;
    double time_ns;
};

static void add(struct sg_table *run, const struct line *line)
{
    const struct sg_value role = {.family = "f", .case_ = line->case_, .variant = line->variant, .metric = "role", .message = line->role};
    struct sg_value number = {
        .family = "f", .case_ = line->case_, .variant = line->variant, .metric = "work_read_bytes", .unit = "B", .has = SG_HAS_VALUE};
    number.value = 1000;
    sg_table_add(run, &role);
    sg_table_add(run, &number);
    number.metric = "time";
    number.unit = "ns";
    number.value = line->time_ns;
    if (!isnan(line->time_ns))
        sg_table_add(run, &number);
}

TEST(a_case_begins_with_its_baseline_and_goes_on_with_the_fastest)
{
    static const struct line lines[] = {
        {"b", "broken", "candidate", NAN}, {"b", "fast", "vendor", 20},    {"b", "lost", "candidate", NAN},
        {"b", "slow", "candidate", 90},    {"b", "usual", "baseline", 50}, {"b", "also_fast", "candidate", 20},
        {"a", "only", "candidate", 100},   {"a", "none", "baseline", NAN},
    };
    static const char *const should[] = {"a/none", "a/only", "b/usual", "b/also_fast", "b/fast", "b/slow", "b/broken", "b/lost"};
    struct sg_table run;
    struct sg_env env = {.count = 0};
    struct sg_sol_table gaps;
    struct sg_err err = {0};
    sg_table_init(&run);
    for (size_t i = 0; i < COUNT(lines); i++)
        add(&run, &lines[i]);
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    if (sg_sol_table_make(&run, &env, "null", &gaps, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(gaps.count, COUNT(should));
    for (size_t i = 0; i < COUNT(should); i++) {
        struct sg_text name = {0};
        sg_text_addf(&name, "%s/%s", gaps.items[i].case_, gaps.items[i].variant);
        assert_string_equal(name.data, should[i]);
        sg_text_release(&name);
    }
    sg_sol_table_release(&gaps);
    sg_table_release(&run);
}

/* Two runs, whose best differ: what is best in one of them stays in both. */
TEST(the_best_of_several_tables_stay_in_all)
{
    static const struct line lines[2][4] = {
        {{"a", "base", "baseline", 90}, {"a", "x", "candidate", 20}, {"a", "y", "candidate", 30}, {"a", "z", "candidate", 40}},
        {{"a", "base", "baseline", 90}, {"a", "x", "candidate", 50}, {"a", "y", "candidate", 60}, {"a", "z", "candidate", 40}},
    };
    struct sg_table run[2];
    struct sg_env env = {.count = 0};
    struct sg_sol_table gaps[2];
    struct sg_err err = {0};
    for (size_t r = 0; r < COUNT(run); r++) {
        sg_table_init(&run[r]);
        for (size_t i = 0; i < COUNT(lines[r]); i++)
            add(&run[r], &lines[r][i]);
        assert_int_equal(sg_table_sort(&run[r], &err), SG_SUCCESS);
        assert_int_equal(sg_sol_table_make(&run[r], &env, "null", &gaps[r], &err), SG_SUCCESS);
    }
    sg_sol_tables_keep_best(gaps, COUNT(gaps), 1);
    for (size_t r = 0; r < COUNT(run); r++) {
        assert_int_equal(gaps[r].count, 3);
        assert_string_equal(gaps[r].items[0].variant, "base");
        assert_string_equal(gaps[r].items[1].variant, r == 0 ? "x" : "z");
        assert_string_equal(gaps[r].items[2].variant, r == 0 ? "z" : "x");
        sg_sol_table_release(&gaps[r]);
        sg_table_release(&run[r]);
    }
}

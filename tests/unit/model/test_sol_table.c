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
    const struct sg_value role = {.family = "f",
                                  .case_ = line->case_,
                                  .variant = line->variant,
                                  .metric = "role",
                                  .message = line->role};
    struct sg_value number = {.family = "f",
                              .case_ = line->case_,
                              .variant = line->variant,
                              .metric = "work_read_bytes",
                              .unit = "B",
                              .has = SG_HAS_VALUE};
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
        {"b", "broken", "candidate", NAN}, {"b", "fast", "vendor", 20},
        {"b", "lost", "candidate", NAN},   {"b", "slow", "candidate", 90},
        {"b", "usual", "baseline", 50},    {"b", "also_fast", "candidate", 20},
        {"a", "only", "candidate", 100},   {"a", "none", "baseline", NAN},
    };
    static const char *const should[] = {"a/none", "a/only", "b/usual",  "b/also_fast",
                                         "b/fast", "b/slow", "b/broken", "b/lost"};
    SG_SCOPED(sg_table) run = {0};
    struct sg_env env = {.count = 0};
    struct sg_sol_table gaps;
    struct sg_err err = {0};
    for (size_t i = 0; i < COUNT(lines); i++)
        add(&run, &lines[i]);
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    if (sg_sol_table_make(&run, &env, "null", false, &gaps, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(gaps.count, COUNT(should));
    for (size_t i = 0; i < COUNT(should); i++) {
        SG_SCOPED(sg_text) name = {0};
        sg_text_addf(&name, "%s/%s", gaps.items[i].case_, gaps.items[i].variant);
        assert_string_equal(name.data, should[i]);
    }
}

TEST(the_best_stay_with_their_baseline)
{
    static const struct line lines[] = {
        {"a", "base", "baseline", 90}, {"a", "x", "candidate", 20},   {"a", "y", "candidate", 30},
        {"a", "z", "candidate", NAN},  {"b", "base", "baseline", 10}, {"b", "y", "candidate", 30},
    };
    static const char *const should[] = {"base", "x", "z", "base", "y"};
    SG_SCOPED(sg_table) run = {0};
    struct sg_env env = {.count = 0};
    struct sg_sol_table gaps;
    struct sg_err err = {0};
    for (size_t i = 0; i < COUNT(lines); i++)
        add(&run, &lines[i]);
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    assert_int_equal(sg_sol_table_make(&run, &env, "null", false, &gaps, &err), SG_SUCCESS);
    sg_sol_table_keep_best(&gaps, 1);
    assert_int_equal(gaps.count, COUNT(should));
    for (size_t i = 0; i < COUNT(should); i++)
        assert_string_equal(gaps.items[i].variant, should[i]);
}

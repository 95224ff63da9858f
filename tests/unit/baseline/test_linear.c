/* Comparing a run with a run, and accepting one beside numbers of other origin, take as many steps
 * an item of many items as of few. Counted are the strings that are compared: no clock is read. */
#include <stdio.h>

#include "check.h"
#include "baseline/accept.h"
#include "compare/compare.h"
#include "hand_tables.h"

static size_t steps;

/* In place of the library's, in this program.
 * NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved. */
int strcmp(const char *a, const char *b)
{
    steps++;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/* A run of so many cases of a baseline variant and a candidate, on a GPU of this name. */
static void make_run(struct sg_run *run, size_t cases, const char *unit, double ns)
{
    *run = (struct sg_run){.folder = sg_copy_string("run")};
    hand_env(&run->env);
    sg_env_set(&run->env, "gpu_uuid_hash", unit);
    for (size_t i = 0; i < cases; i++) {
        char name[32];
        snprintf(name, sizeof(name), "c%06zu", i);
        struct sg_value rows[] = {
            hand_words("base", "role", SG_OK, "baseline"),
            hand_words("base", "status", SG_OK, ""),
            hand_time("base", ns, 0.0002),
            hand_words("v", "role", SG_OK, "candidate"),
            hand_words("v", "status", SG_OK, ""),
            hand_ratio("v", 1, 0.0002),
        };
        for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
            rows[k].case_ = name;
            sg_table_add(&run->table, &rows[k]);
        }
    }
    assert_int_equal(sg_table_sort(&run->table, &(struct sg_err){0}), SG_SUCCESS);
}

/* compare RUN RUN */
static size_t steps_of_compare(size_t cases)
{
    struct sg_run run, other;
    struct sg_accepted_file accepted = {0};
    struct sg_comparison comparison;
    struct sg_err err = {0};
    make_run(&run, cases, "a", 1000);
    make_run(&other, cases, "a", 1000);
    steps = 0;
    assert_int_equal(sg_accepted_from_run(&other, &hand_catalogue, &accepted, &err), SG_SUCCESS);
    const struct sg_compare_input input = {.run = &run.table,
                                           .run_env = &run.env,
                                           .accepted = &accepted,
                                           .catalogue = &hand_catalogue};
    assert_int_equal(sg_compare(&input, &comparison, &err), SG_SUCCESS);
    assert_int_equal(comparison.judged, 2 * cases);
    const size_t taken = steps;
    sg_run_release(&run);
    return taken;
}

/* Half of the items anew, of another GPU: what they are of stands in a key an item. */
static size_t steps_of_accept(size_t cases)
{
    SG_SCOPED(sg_run) first, half;
    struct sg_accepted_file old, fresh;
    struct sg_accept_report report;
    struct sg_err err = {0};
    make_run(&first, cases, "a", 1000);
    make_run(&half, cases / 2, "b", 1001);
    struct sg_accept_run one = {.path = "first", .table = &first.table, .env = &first.env};
    struct sg_accept_options options = {.runs = &one, .run_count = 1, .catalogue = &hand_catalogue};
    assert_int_equal(sg_accept_runs(&options, &old, &report, &err), SG_SUCCESS);
    one = (struct sg_accept_run){.path = "half", .table = &half.table, .env = &half.env};
    options.old = &old;
    steps = 0;
    assert_int_equal(sg_accept_runs(&options, &fresh, &report, &err), SG_SUCCESS);
    const size_t taken = steps;
    return taken;
}

TEST(steps_grow_with_the_items)
{
    static const struct {
        const char *what;
        size_t (*steps)(size_t cases);
    } rows[] = {{"compare", steps_of_compare}, {"accept", steps_of_accept}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const size_t few = rows[i].steps(100), many = rows[i].steps(1600);
        /* Sixteen times the items, and a search takes at most twice the steps. */
        if (many > 32 * few)
            fail_msg("%s: %zu steps for 100 cases, %zu for 1600", rows[i].what, few, many);
    }
}

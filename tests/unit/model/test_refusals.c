/* What of a run cannot be: whose work and limits a variant is held against, and what
 * is said where they are not known. */
#include <string.h>

#include "check.h"
#include "model/refusals.h"
#include "results/env.h"

static void add(struct sg_table *run, const char *case_, const char *variant, const char *metric,
                double value)
{
    sg_table_add(run, &(struct sg_value){.family = "f",
                                         .case_ = case_,
                                         .variant = variant,
                                         .metric = metric,
                                         .value = value,
                                         .has = SG_HAS_VALUE,
                                         .status = SG_OK});
}

static void sort(struct sg_table *run)
{
    struct sg_err err = {0};
    assert_int_equal(sg_table_sort(run, &err), SG_SUCCESS);
}

static struct sg_env env_of(const char *gpu)
{
    struct sg_env env = {.count = 0};
    sg_env_set(&env, "l2", "cold");
    if (gpu)
        sg_env_set(&env, "gpu", gpu);
    return env;
}

/* On the invented GPU, 1 TB/s: of 1 GB in 1 ms, and of work that only
 * another variant of the case tells. */
TEST(a_variant_is_held_against_the_work_of_its_case)
{
    SG_SCOPED(sg_table) run = {0};
    struct sg_env env = env_of("null");
    struct sg_refusals refusals;
    struct sg_err err = {0};
    add(&run, "a", "fast", "time", 5e5);
    add(&run, "a", "right", "time", 1e6);
    add(&run, "a", "right", "work_read_bytes", 1e9);
    add(&run, "a", "untimed", "work_read_bytes", 1e9);
    add(&run, "b", "fast", "time", 1);
    add(&run, "c", "fast", "time", 1);
    add(&run, "c", "fast", "work_read_bytes", 1e9);
    sort(&run);
    assert_int_equal(sg_refusals_make(&run, &env, NULL, &refusals, &err), SG_SUCCESS);
    assert_int_equal(refusals.count, 2);
    assert_null(refusals.unjudged);
    assert_int_equal(sg_refusals_find(&refusals, "f", "a", "fast")->finding, SG_TOO_FAST);
    assert_non_null(sg_refusals_find(&refusals, "f", "c", "fast"));
    assert_null(sg_refusals_find(&refusals, "f", "a", "right"));
    assert_null(sg_refusals_find(&refusals, "f", "b", "fast"));
    assert_null(sg_refusals_find(NULL, "f", "a", "fast"));
    assert_int_equal(sg_refusals_check(&refusals, "night", &err), SG_INVALID);
    assert_string_equal(err.where, "night");
    assert_non_null(strstr(err.message, "f/a/fast is invalid: 500.0 us for work that takes 1.000 "
                                        "ms at 1.00 TB/s, the peak of DRAM"));
    assert_non_null(strstr(err.message, "; 2 variants are invalid in all"));
    struct sg_err none = {0};
    refusals = (struct sg_refusals){0};
    assert_int_equal(sg_refusals_check(&refusals, "night", &none), SG_SUCCESS);
    sg_env_release(&env);
}

/* Work that is the size of arrays refuses nothing: a function may write a part of them. */
TEST(guessed_work_refuses_nothing)
{
    for (size_t guessed = 0; guessed < 2; guessed++) {
        SG_SCOPED(sg_table) run = {0};
        struct sg_env env = env_of("null");
        struct sg_refusals refusals;
        struct sg_err err = {0};
        struct sg_value fact = {.family = "f",
                                .case_ = "a",
                                .variant = "base",
                                .metric = "guessed_work",
                                .message = "whole outputs"};
        add(&run, "a", "base", "time", 5e5);
        add(&run, "a", "cand", "time", 5e5);
        add(&run, "a", "base", "work_write_bytes", 1e9);
        if (guessed)
            sg_table_add(&run, &fact);
        sort(&run);
        assert_int_equal(sg_refusals_make(&run, &env, NULL, &refusals, &err), SG_SUCCESS);
        assert_int_equal(refusals.count, guessed ? 0 : 2);
        sg_env_release(&env);
    }
}

TEST(a_run_is_held_against_its_own_gpu)
{
    static const struct {
        const char *sentence, *gpu, *key;
        size_t count;
        const char *unjudged; /* NULL: nothing is missing */
    } rows[] = {
        {"its own", "null", NULL, 1, NULL},
        {"its own, whatever is asked for", "null", "b200", 1, NULL},
        {"a faster one that is its own", "b200", "null", 0, NULL},
        {"what is asked for, where it does not say", NULL, "null", 1, NULL},
        {"or does not know", "unknown", "null", 1, NULL},
        {"nothing, if nobody does", "unknown", NULL, 0,
         "no file of metrics/gpus is known to fit the GPU of this run"},
        {"nothing, of one that has no spec", "h300", NULL, 0, "found 'h300'"},
    };
    SG_SCOPED(sg_table) run = {0};
    add(&run, "c", "v", "time", 5e5);
    add(&run, "c", "v", "work_read_bytes", 1e9);
    sort(&run);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_env env = env_of(rows[i].gpu);
        struct sg_refusals refusals;
        struct sg_err err = {0};
        assert_int_equal(sg_refusals_make(&run, &env, rows[i].key, &refusals, &err), SG_SUCCESS);
        if (refusals.count != rows[i].count || !refusals.unjudged != !rows[i].unjudged)
            fail_msg("%s: %zu refused, '%s'", rows[i].sentence, refusals.count,
                     refusals.unjudged ? refusals.unjudged : "");
        if (rows[i].unjudged && !strstr(refusals.unjudged, rows[i].unjudged))
            fail_msg("%s: '%s'", rows[i].sentence, refusals.unjudged);
        sg_env_release(&env);
    }
}

/* Its bytes are judged all the same. */
TEST(a_format_without_a_peak_is_told)
{
    SG_SCOPED(sg_table) run = {0};
    struct sg_env env = env_of("h200");
    struct sg_refusals refusals;
    add(&run, "c", "v", "time", 1e3);
    add(&run, "c", "v", "work_flop_e2m1", 1e9);
    add(&run, "c", "v", "work_read_bytes", 1e9);
    sort(&run);
    sg_refusals_of_peaks(&run, &env, NULL, &refusals);
    assert_int_equal(refusals.count, 1);
    assert_string_equal(
        refusals.unjudged,
        "metrics/gpus/h200.gpu has no peak for e2m1, so such arithmetic is not checked");
    sg_env_release(&env);
}

/* Values that are not to be had say nothing, whatever number stands beside them. */
TEST(a_counter_that_is_not_ok_says_nothing)
{
    static const struct {
        const char *sentence;
        enum sg_status status;
        double value;
        size_t count;
    } rows[] = {
        {"counted", SG_OK, 0, 1},
        {"enough of it", SG_OK, 4e6, 0},
        {"not to be had", SG_UNAVAILABLE, 0, 0},
        {"no number", SG_NAN, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_table) run = {0};
        struct sg_env env = env_of("null");
        struct sg_refusals refusals;
        struct sg_err err = {0};
        add(&run, "c", "v", "time", 1e6);
        add(&run, "c", "v", "work_read_bytes", 4e6);
        sg_table_add(&run, &(struct sg_value){.family = "f",
                                              .case_ = "c",
                                              .variant = "v",
                                              .metric = "dram_read_bytes",
                                              .value = rows[i].value,
                                              .has = SG_HAS_VALUE,
                                              .status = rows[i].status});
        sort(&run);
        assert_int_equal(sg_refusals_make(&run, &env, NULL, &refusals, &err), SG_SUCCESS);
        if (refusals.count != rows[i].count ||
            (refusals.count > 0 && refusals.items[0].finding != SG_OTHER_L2))
            fail_msg("%s", rows[i].sentence);
        sg_env_release(&env);
    }
}

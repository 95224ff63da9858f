/*
 * metrics.ini against CUPTI's host library, which knows every chip's counters and needs no GPU:
 * each name exists on each chip or is declared absent there and really is, and the groups take as
 * many passes as they promise. Skipped where CUPTI is not built in or found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SKIPPED 77

/* CUPTI loads its host library with RTLD_DEEPBIND, which the address sanitizer refuses. */
#if defined(SOLGATE_HAVE_CUDA) && !defined(__SANITIZE_ADDRESS__)

#include "catalogue/catalogue.h"
#include "cupti/range_profiler.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const chips[] = {"GH100", "GB100", "GB102", "GB110", "GB202", "GA100",
                                    "GA102", "AD102", "AD104", "TU104", "GV100"};

struct fixture {
    struct sg_catalogue catalogue;
    struct sg_counters *counters;
};

static void check(enum sg_code code, const struct sg_err *err)
{
    if (code != SG_SUCCESS)
        fail_msg("%s: %s", err->where, err->message);
}

static bool is_known(const struct fixture *fixture, const char *chip, const char *name)
{
    struct sg_err err = {0};
    bool known = false;
    check(sg_counters_known(fixture->counters, chip, name, &known, &err), &err);
    return known;
}

/* A metric that is absent on a chip must be so under each name it has elsewhere. */
static bool is_absent(const struct fixture *fixture, const struct sg_metric *metric,
                      const char *chip)
{
    for (size_t i = 0; i < metric->key_count; i++) {
        if (metric->keys[i].key && is_known(fixture, chip, metric->keys[i].key))
            return false;
    }
    return true;
}

static void each_counter_exists_or_is_declared_absent(void **state)
{
    const struct fixture *fixture = *state;
    size_t wrong = 0;
    for (size_t i = 0; i < fixture->catalogue.count; i++) {
        const struct sg_metric *metric = &fixture->catalogue.metrics[i];
        for (size_t c = 0; c < COUNT(chips) && metric->source == &sg_source_cupti; c++) {
            const char *name = sg_metric_key(metric, chips[c]);
            if (name ? is_known(fixture, chips[c], name) : is_absent(fixture, metric, chips[c]))
                continue;
            print_error("metrics.ini:%ld: %s on %s: %s\n", metric->line, metric->name, chips[c],
                        name ? name : "declared absent, but it is there");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Every chip that metrics.ini names is one that CUPTI knows: a typing error in
 * cupti.GB1OO would otherwise never show. */
static void each_chip_that_is_named_is_a_chip(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < fixture->catalogue.count; i++) {
        const struct sg_metric *metric = &fixture->catalogue.metrics[i];
        for (size_t j = 0; j < metric->key_count; j++) {
            if (strcmp(metric->keys[j].chip, "*") == 0)
                continue;
            struct sg_err err = {0};
            bool known = false;
            if (sg_counters_known(fixture->counters, metric->keys[j].chip, "gpu__time_duration.sum",
                                  &known, &err) != SG_SUCCESS ||
                !known)
                fail_msg("metrics.ini:%ld: %s: no such chip as %s", metric->line, metric->name,
                         metric->keys[j].chip);
        }
    }
}

/* Passes of everything that one name brings; 0 where the chip has none of it. */
static unsigned passes_of(struct fixture *fixture, const char *chip, const char *group)
{
    struct sg_err err = {0};
    const struct sg_metric **selected = NULL;
    size_t count = 0, names = 0;
    unsigned passes = 0;
    check(sg_catalogue_select(&fixture->catalogue, &group, 1, &selected, &count, &err), &err);
    const char **name = calloc(count + 1, sizeof(*name));
    assert_non_null(name);
    /* In the order in which a worker asks: passes depend on it. */
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < count; i++) {
            const bool is_due =
                selected[i]->source->of_device && sg_metric_leads(selected[i], chip) == (turn == 0);
            name[names] = is_due ? sg_metric_key(selected[i], chip) : NULL;
            names += name[names] != NULL;
        }
    }
    if (names > 0)
        check(sg_counters_passes(fixture->counters, chip, name, names, &passes, &err), &err);
    free(name);
    free(selected);
    return passes;
}

static void groups_take_as_many_passes_as_they_promise(void **state)
{
    static const struct {
        const char *group, *chip;
        unsigned at_most;
    } rows[] = {
        {"default", "GH100", 12}, {"all", "GH100", 15},  {"work", "GH100", 9},
        {"quick", "GH100", 1},    {"quick", "GB100", 1}, {"quick", "GA100", 1},
        {"quick", "AD102", 1},    {"quick", "GB202", 1}, {"occupancy", "GH100", 1},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const unsigned passes = passes_of(fixture, rows[i].chip, rows[i].group);
        if (passes == 0 || passes > rows[i].at_most)
            fail_msg("%s takes %u passes on %s, promised are %u", rows[i].group, passes,
                     rows[i].chip, rows[i].at_most);
    }
}

static bool asks_cupti(const struct sg_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->metrics[i]->source == &sg_source_cupti)
            return true;
    return false;
}

static void the_passes_of_all_groups_are_shown(void **state)
{
    struct fixture *fixture = *state;
    print_message("passes    ");
    for (size_t c = 0; c < COUNT(chips); c++)
        print_message(" %6s", chips[c]);
    print_message("\n");
    for (size_t i = 0; i < fixture->catalogue.group_count; i++) {
        const struct sg_group *group = &fixture->catalogue.groups[i];
        print_message("%-10s", group->name);
        for (size_t c = 0; c < COUNT(chips); c++) {
            const unsigned passes = passes_of(fixture, chips[c], group->name);
            print_message(" %6u", passes);
            assert_true((passes > 0) == asks_cupti(group));
        }
        print_message("\n");
    }
}

static int run(struct fixture *fixture)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(each_counter_exists_or_is_declared_absent, fixture),
        cmocka_unit_test_prestate(each_chip_that_is_named_is_a_chip, fixture),
        cmocka_unit_test_prestate(groups_take_as_many_passes_as_they_promise, fixture),
        cmocka_unit_test_prestate(the_passes_of_all_groups_are_shown, fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    struct fixture fixture = {.counters = NULL};
    struct sg_err err = {0};
    int failed = 1;
    if (sg_counters_open(&fixture.counters, &err) != SG_SUCCESS) {
        printf("skipped: %s: %s\n", err.where, err.message);
        return SKIPPED;
    }
    if (sg_catalogue_load(&fixture.catalogue, &err) == SG_SUCCESS)
        failed = run(&fixture);
    else
        printf("%s: %s\n", err.where, err.message);
    sg_counters_close(fixture.counters);
    return failed;
}

#else

int main(void)
{
    printf("skipped: built without the CUDA toolkit, or with the address sanitizer: no CUPTI can "
           "be asked about names\n");
    return SKIPPED;
}

#endif

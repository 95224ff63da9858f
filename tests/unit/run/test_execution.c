/* run/execution.h: one plan is executed twice at the same time in one process, on two simulated
 * GPUs and into memory. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "run/execution.h"
#include "util/file.h"
#include "util/paths.h"
#include "util/random.h"

struct one {
    struct sg_run_options options;
    struct sg_run_log sink;
    struct sg_execution execution;
    struct sg_err err;
};

static void *execute(void *one)
{
    sg_execution_run(&((struct one *)one)->execution, &((struct one *)one)->err);
    return NULL;
}

TEST(a_plan_on_two_gpus_at_once)
{
    static const char suite[] = "[suite]\ntitle = two\ntolerance = 2%\nprocesses = 5\nblocks = "
                                "4\nlaunches = 2\nmetrics = quick\n"
                                "[null]\ncase = tiny\nvariant = slower\nvariant = wrong\n";
    struct sg_err err = {0};
    SG_SCOPED(sg_text) worker = {0}, module = {0};
    struct sg_run_inputs inputs = {.suite = {0}};
    struct sg_run_plan plan = {0};
    struct one two[2] = {0};
    pthread_t thread[2];
    char folder[] = "/tmp/two_gpus_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/two.suite", folder);
    /* A program finds its worker beside itself. */
    assert_int_equal(sg_path_next_to_program(&worker, "solgate-worker", &err), SG_SUCCESS);
    assert_int_equal(sg_path_next_to_program(&module, "../bin/libsg_null.so", &err), SG_SUCCESS);
    assert_true(symlink("../bin/solgate-worker", worker.data) == 0 || errno == EEXIST);
    assert_int_equal(sg_write_file(path, suite, sizeof(suite) - 1, &err), SG_SUCCESS);
    for (size_t i = 0; i < 2; i++)
        two[i].options = (struct sg_run_options){.suite = path, .gpu = i, .seed = 5, .jobs = 2};
    sg_names_add(&two[0].options.modules, module.data);
    if (sg_run_plan_make(&two[0].options, &inputs, &plan, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
    for (size_t i = 0; i < 2; i++) {
        sg_run_log_init(&two[i].sink);
        sg_execution_init(&two[i].execution, &two[i].options, &plan, &two[i].sink);
        assert_int_equal(pthread_create(&thread[i], NULL, execute, &two[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        const struct sg_step *steps = two[i].execution.steps;
        if (two[i].err.code != SG_SUCCESS)
            fail_msg("GPU %zu: %s: %s", i, two[i].err.where, two[i].err.message);
        assert_int_equal(plan.count, 3);
        for (size_t k = 0; k < plan.count; k++)
            assert_int_equal(steps[k].status, steps[k].item->variant->expect);
        assert_int_equal(two[i].sink.samples.count, 2 * 5 * 4 * 4);
        sg_execution_release(&two[i].execution);
        sg_run_log_release(&two[i].sink);
    }
    sg_names_release(&two[0].options.modules);
    unlink(path);
    rmdir(folder);
}

/* How many of 1,000 runs of independent processes say that these depend on each other. Each variant
 * is paired with one baseline; with `builds`, also with its accepted build. */
static size_t count_notes(bool builds)
{
    enum { VARIANTS = 23, PROCESSES = 10, RUNS = 1000 };
    static struct sg_process_result results[2 * VARIANTS][PROCESSES];
    struct sg_step steps[2 * VARIANTS];
    const struct sg_run_plan plan = {.own_count = VARIANTS,
                                     .count = builds ? 2 * VARIANTS : VARIANTS,
                                     .settings = {.launches = 4}};
    struct sg_run_log sink = {0};
    struct sg_execution execution = {.plan = &plan, .sink = &sink, .steps = steps};
    size_t notes = 0;
    uint64_t random = 5;
    sg_samples_add(&sink.samples,
                   &(struct sg_sample){.family = sg_samples_intern(&sink.samples, "f")});
    for (size_t i = 0; i < plan.count; i++)
        steps[i] = (struct sg_step){.passed = true,
                                    .baseline = &steps[i < VARIANTS ? 0 : i - VARIANTS],
                                    .processes = i > 0 ? (1U << PROCESSES) - 1 : 0,
                                    .results = results[i]};
    for (size_t run = 0; run < RUNS; run++) {
        SG_SCOPED(sg_text) out = {0};
        for (size_t p = 0; p < PROCESSES; p++) {
            double own[VARIANTS] = {3 * sg_random_normal(&random)};
            for (size_t i = 1; i < plan.count; i++) {
                const double value = sg_random_normal(&random);
                results[i][p].ratio.y = value - own[i < VARIANTS ? 0 : i - VARIANTS];
                if (i < VARIANTS)
                    own[i] = value;
            }
        }
        sg_execution_add_checked(&execution, &out);
        notes += strstr(out.data, "correlation of neighbours") != NULL;
    }
    sg_samples_release(&sink.samples);
    return notes;
}

TEST(independent_processes_are_seldom_said_to_depend)
{
    const size_t alone = count_notes(false), paired = count_notes(true);
    print_message("said in %zu and %zu of 1000 runs\n", alone, paired);
    assert_true(alone <= 10 && paired <= 10);
}

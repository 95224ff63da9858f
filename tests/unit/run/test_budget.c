/* run/phase_time.c: before a deadline rather some pairs by enough processes than all by too few. */
#include <stdlib.h>

#include "check.h"
#include "run/execution_internal.h"

TEST(what_can_be_afforded)
{
    static const struct {
        const char *sentence;
        double left_s; /* until the deadline; 0: there is none */
        double process_s;
        unsigned processes;
        size_t afforded; /* of 40 pairs */
        bool is_late;
    } rows[] = {
        {"without a deadline all", 0, 1000, 100, 40, false},
        {"with time for all, all", 1000, 10, 4, 40, false},
        {"with half of the time, half", 1000, 500, 4, 20, false},
        {"with next to none, none", 1000, 1e9, 4, 0, false},
        {"behind the deadline none", -1, 10, 4, 0, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct sg_run_options options = {
            .deadline_s = rows[i].left_s != 0 ? sg_monotonic_s() + rows[i].left_s : 0};
        const struct sg_execution execution = {.options = &options};
        const size_t afforded =
            sg_execution_afford(&execution, 40, rows[i].process_s, rows[i].processes);
        /* The clock goes on meanwhile. */
        if (afforded > rows[i].afforded || afforded + 1 < rows[i].afforded ||
            sg_execution_is_late(&execution) != rows[i].is_late)
            fail_msg("%s: %zu instead of %zu", rows[i].sentence, afforded, rows[i].afforded);
    }
}

TEST(too_few_are_left_out)
{
    struct sg_listed_family family = {.name = "f"};
    const struct sg_listed_case of_family = {.name = "c"};
    const struct sg_listed_variant variant = {.name = "v"};
    const struct sg_item item = {
        .family = &family, .case_ = &of_family, .variant = &variant, .baseline = 0};
    SG_SCOPED(sg_run_log) sink;
    struct sg_err err = {0};
    const struct sg_run_plan plan = {.count = 3};
    struct sg_step steps[] = {
        {.passed = true, .status = SG_OK, .processes = 0x1f},
        {.passed = true, .status = SG_OK, .processes = 0x0f},
        {.passed = false, .status = SG_WRONG, .processes = 0},
    };
    struct sg_run_options options = {.deadline_s = 0};
    struct sg_execution execution = {
        .options = &options, .steps = steps, .plan = &plan, .sink = &sink};
    sg_run_log_init(&sink);
    for (size_t i = 0; i < 3; i++) {
        steps[i].item = &item;
        steps[i].baseline = &steps[0];
    }
    assert_int_equal(sg_execution_skip_undertimed(&execution, &err), SG_SUCCESS);
    assert_int_equal(steps[1].status, SG_OK);
    options.deadline_s = 1;
    assert_int_equal(sg_execution_skip_undertimed(&execution, &err), SG_SUCCESS);
    assert_int_equal(steps[0].status, SG_OK);
    assert_int_equal(steps[1].status, SG_SKIPPED);
    assert_string_equal(steps[1].message,
                        "the time budget was exhausted after 4 of its processes; 5 are needed");
    assert_int_equal(steps[2].status, SG_WRONG);
    assert_int_equal(sink.rows.count, 1); /* it stays so when the run is resumed */
    free(steps[1].message);
}

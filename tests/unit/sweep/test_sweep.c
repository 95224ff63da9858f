/* sweep/sweep.h: what is chosen of what was measured, and that the margin which is
 * told took no part in the choosing. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "scratch.h"

#include "plan/knobs.h"
#include "sweep/sweep_internal.h"
#include "util/file.h"

#define TRIES_MAX 8

static const struct sg_listed_case listed = {.name = "c"};

/* One configuration: its status, and what each stage would read of it (ln
 * ratio; the interval is +- 0.01). */
struct reading {
    enum sg_status status;
    double screen, choose, confirm;
};

static struct sg_estimate around(double mean)
{
    return (struct sg_estimate){.mean = mean, .n = 5, .low = mean - 0.01, .high = mean + 0.01};
}

/* As the stages do: whoever reached it is read. */
static void measure(struct sg_sweep_case *c, const struct reading *readings,
                    enum sg_sweep_stage stage)
{
    for (size_t i = 1; i < c->count; i++) {
        const double value[] = {readings[i - 1].screen, readings[i - 1].choose,
                                readings[i - 1].confirm};
        struct sg_sweep_try *one = &c->tries[i];
        if (one->reached < stage || one->status != SG_OK)
            continue;
        if (isnan(value[stage]))
            one->status = SG_CRASH;
        else
            one->estimate[stage] = around(value[stage]);
    }
}

TEST(the_best_is_confirmed_or_the_own_choice_stays)
{
    static const struct {
        const char *proves;
        size_t count;
        struct reading readings[TRIES_MAX];
        size_t best,
            chosen; /* from 1; 0: the own choice stays; chosen: what went to the confirmation */
    } table[] = {
        {"the fastest of all that agree is best",
         3,
         {{SG_OK, -0.1, -0.1, -0.1}, {SG_OK, -0.2, -0.2, -0.2}, {SG_OK, 0.1, 0, 0}},
         2,
         2},
        {"what is wrong is never chosen, however fast",
         2,
         {{SG_WRONG, -9, -9, -9}, {SG_OK, -0.1, -0.1, -0.1}},
         2,
         2},
        {"what is refused costs itself",
         2,
         {{SG_UNSUPPORTED, 0, 0, 0}, {SG_OK, -0.1, -0.1, -0.1}},
         2,
         2},
        {"the second look chooses, not the screening",
         2,
         {{SG_OK, -0.3, -0.05, -0.05}, {SG_OK, -0.1, -0.1, -0.1}},
         2,
         2},
        {"what was chosen by luck is not confirmed",
         2,
         {{SG_OK, -0.3, -0.2, 0.005}, {SG_OK, -0.1, -0.1, -0.1}},
         0,
         1},
        {"an interval that holds 1 is no proof", 1, {{SG_OK, -0.02, -0.02, -0.009}}, 0, 1},
        {"an interval below 1 is", 1, {{SG_OK, -0.02, -0.02, -0.011}}, 1, 1},
        {"what is not faster when looked at twice needs no confirmation",
         1,
         {{SG_OK, -0.1, 0.01, -0.1}},
         0,
         0},
        {"what crashes in the second look leaves it to the next",
         2,
         {{SG_OK, -0.3, NAN, 0}, {SG_OK, -0.1, -0.1, -0.1}},
         2,
         2},
        {"what crashes in the confirmation leaves the own choice",
         2,
         {{SG_OK, -0.3, -0.3, NAN}, {SG_OK, -0.1, -0.1, -0.1}},
         0,
         1},
        {"where nothing is right the own choice stays", 1, {{SG_HANG, 0, 0, 0}}, 0, 0},
        {"four are looked at twice, not five",
         5,
         {{SG_OK, -0.01, -9, -9},
          {SG_OK, -0.02, 1, 1},
          {SG_OK, -0.03, 1, 1},
          {SG_OK, -0.04, 1, 1},
          {SG_OK, -0.05, -0.1, -0.1}},
         5,
         5},
    };
    for (size_t t = 0; t < COUNT(table); t++) {
        struct sg_sweep_try tries[TRIES_MAX + 1] = {{.reached = SG_SWEEP_CONFIRM}};
        struct sg_sweep_case c = {.listed = &listed, .tries = tries, .count = table[t].count + 1};
        size_t order[TRIES_MAX] = {0}, chosen = 0;
        for (size_t i = 1; i < c.count; i++)
            tries[i].status = table[t].readings[i - 1].status;
        for (int stage = 0; stage < SG_SWEEP_STAGES; stage++) {
            measure(&c, table[t].readings, (enum sg_sweep_stage)stage);
            sg_sweep_select(&c, 1, (enum sg_sweep_stage)stage);
        }
        for (size_t i = 1; i < c.count; i++)
            chosen = tries[i].reached == SG_SWEEP_CONFIRM ? i : chosen;
        if (sg_sweep_best(&c) != table[t].best || chosen != table[t].chosen)
            fail_msg("%s: best is %zu, chosen was %zu", table[t].proves, sg_sweep_best(&c), chosen);
        sg_sweep_rank(&c, order);
        if (table[t].best != 0 && order[0] != table[t].best)
            fail_msg("%s: the first of the ranks is %zu", table[t].proves, order[0]);
    }
}

TEST(what_one_case_proves_many_together_need_not)
{
    static const struct {
        const char *proves;
        double mean, se;
        size_t cases;
        const char *outcome;
        bool is_one_of_many;
    } table[] = {
        {"4.5 standard errors of five processes prove it of one case", -0.0045, 0.001, 1, "best",
         false},
        {"of forty one looks so by chance", -0.0045, 0.001, 40, "not_confirmed", true},
        {"12 standard errors prove it of forty", -0.012, 0.001, 40, "best", false},
        {"what proves nothing of one case is not one of many", -0.003, 0.001, 40, "not_confirmed",
         false},
        {"values without any spread", -0.003, 0, 40, "best", false},
    };
    for (size_t t = 0; t < COUNT(table); t++) {
        struct sg_sweep_try tries[40][2] = {0};
        struct sg_sweep_case cases[40] = {0};
        for (size_t c = 0; c < table[t].cases; c++) {
            const double half = 3.98 * table[t].se;
            cases[c] = (struct sg_sweep_case){.tries = tries[c], .count = 2};
            tries[c][1].estimate[SG_SWEEP_SCREEN] = tries[c][1].estimate[SG_SWEEP_CHOOSE] =
                around(-0.1);
            tries[c][1].estimate[SG_SWEEP_CONFIRM] =
                (struct sg_estimate){.mean = table[t].mean,
                                     .se = table[t].se,
                                     .n = 5,
                                     .low = table[t].mean - half,
                                     .high = table[t].mean + half};
        }
        for (int stage = 0; stage < SG_SWEEP_STAGES; stage++)
            sg_sweep_select(cases, table[t].cases, (enum sg_sweep_stage)stage);
        if (strcmp(sg_sweep_outcome(&cases[0], 1), table[t].outcome) != 0 ||
            sg_sweep_is_one_of_many(&cases[0]) != table[t].is_one_of_many)
            fail_msg("%s: %s", table[t].proves, sg_sweep_outcome(&cases[0], 1));
    }
}

TEST(ranks_are_by_outcome_then_by_time)
{
    struct sg_sweep_try tries[] = {
        {.reached = SG_SWEEP_CONFIRM},
        {.status = SG_WRONG},
        {.estimate = {around(0.2)}},
        {.reached = SG_SWEEP_CHOOSE, .estimate = {around(-0.1), around(0.3)}},
        {.reached = SG_SWEEP_CONFIRM, .estimate = {around(-0.1), around(-0.1), around(-0.2)}},
        {.estimate = {around(-0.5)}},
        {.status = SG_HANG, .estimate = {around(-0.9)}},
    };
    static const size_t expected[] = {4, 3, 5, 2, 1, 6};
    static const char *const outcomes[] = {"default", "failed",   "screened", "finalist",
                                           "best",    "screened", "failed"};
    const struct sg_sweep_case c = {
        .listed = &listed, .tries = tries, .count = COUNT(tries), .chosen = 4};
    size_t order[COUNT(expected)];
    sg_sweep_rank(&c, order);
    assert_memory_equal(order, expected, sizeof(expected));
    for (size_t i = 0; i < COUNT(outcomes); i++)
        assert_string_equal(sg_sweep_outcome(&c, i), outcomes[i]);
    /* The number that is told of the best one is the last stage's,
     * and not one that it was chosen by. */
    assert_true(sg_sweep_estimate(&tries[4])->mean == -0.2);
    assert_null(sg_sweep_estimate(&tries[1]));
    assert_null(sg_sweep_estimate(&tries[6]));
}

#define N48 "a_name_of_a_knob_that_is_as_long_as_a_name_can_b"

TEST(what_is_written_can_be_read)
{
    static const struct {
        const char *proves;
        double mean;
        size_t together, lines; /* of settings that are read back */
    } table[] = {
        {"the best of many long knobs", -0.1, 1, 1},
        {"one that is not, and one of many", -0.0045, 40, 0},
        {"one that is not by itself", 0.1, 1, 0},
    };
    struct sg_listed_variant variant = {.name = "v", .knob_count = SG_MAX_KNOBS};
    for (size_t k = 0; k < SG_MAX_KNOBS; k++) {
        static char names[SG_MAX_KNOBS][sizeof(N48)];
        snprintf(names[k], sizeof(names[k]), "%.*s%zu", (int)sizeof(N48) - 2, N48, k);
        variant.knob[k].name = names[k];
        variant.knob[k].value[0] = INT64_MAX;
        variant.knob[k].count = 1;
    }
    struct sg_listed_family family = {.name = "f"};
    for (size_t t = 0; t < COUNT(table); t++) {
        struct sg_sweep_try tries[2] = {{.reached = SG_SWEEP_CONFIRM},
                                        {.reached = SG_SWEEP_CONFIRM}};
        tries[1].estimate[SG_SWEEP_CONFIRM] = (struct sg_estimate){.mean = table[t].mean,
                                                                   .se = 0.001,
                                                                   .n = 5,
                                                                   .low = table[t].mean - 0.004,
                                                                   .high = table[t].mean + 0.004};
        struct sg_sweep_case c = {.listed = &listed,
                                  .tries = tries,
                                  .count = 2,
                                  .chosen = 1,
                                  .together = table[t].together};
        static char command[] = "run " N48 N48 N48 N48 " --sweep";
        struct sg_sweep sweep = {.command = {.data = command}};
        struct sg_text text = {0}, knobs = {0};
        sg_sweep_add_knobs(&variant, 0, &knobs);
        struct sg_sweep_configuration configurations[2] = {{.knobs = NULL}, {.knobs = knobs.data}};
        const struct sg_swept swept = {.sweep = &sweep,
                                       .family = &family,
                                       .variant = &variant,
                                       .configurations = configurations,
                                       .count = 2,
                                       .cases = &c,
                                       .case_count = 1};
        struct sg_knob_settings settings = {0};
        struct sg_err err = {0};
        struct scratch s;
        scratch_init(&s);
        sg_sweep_add_config(&swept, &text);
        assert_int_equal(sg_write_file(scratch_path(&s, "f.config"), text.data, text.length, &err),
                         SG_SUCCESS);
        if (sg_knob_file_read(s.path, &settings, &err) != SG_SUCCESS ||
            settings.count != table[t].lines)
            fail_msg("%s: %zu settings, '%s'", table[t].proves, settings.count, err.message);
        if (settings.count > 0)
            assert_int_equal(settings.items[0].count, SG_MAX_KNOBS);
        sg_knob_settings_release(&settings);
        sg_text_release(&text);
        sg_text_release(&knobs);
        scratch_release(&s);
    }
}

TEST(a_grid_holds_every_combination_once)
{
    struct sg_listed_variant variant = {.knob_count = 3,
                                        .knob = {{.name = "a", .value = {1, 2}, .count = 2},
                                                 {.name = "b", .value = {7}, .count = 1},
                                                 {.name = "c", .value = {4, 5, 6}, .count = 3}}};
    static const char *const expected[] = {"a=1 b=7 c=4", "a=1 b=7 c=5", "a=1 b=7 c=6",
                                           "a=2 b=7 c=4", "a=2 b=7 c=5", "a=2 b=7 c=6"};
    assert_int_equal(sg_sweep_configurations(&variant), 6);
    for (size_t i = 0; i < 6; i++) {
        SG_SCOPED(sg_text) knobs = {0};
        sg_sweep_add_knobs(&variant, i, &knobs);
        assert_string_equal(knobs.data, expected[i]);
    }
    assert_int_equal(sg_sweep_configurations(&(struct sg_listed_variant){0}), 0);
    variant.knob_count = SG_MAX_KNOBS;
    for (size_t k = 0; k < SG_MAX_KNOBS; k++)
        variant.knob[k].count = SG_MAX_KNOB_VALUES;
    assert_true(sg_sweep_configurations(&variant) == UINT64_C(1) << 32);
}

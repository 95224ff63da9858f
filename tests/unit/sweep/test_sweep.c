/* sweep/sweep.h: the choice, its confirmation, the file that it writes, and the grid. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "scratch.h"

#include "plan/knobs.h"
#include "sweep/sweep_internal.h"
#include "util/file.h"

static struct sg_estimate estimate_of(double mean, double se)
{
    return (struct sg_estimate){
        .mean = mean, .se = se, .n = 5, .low = mean - 3.98 * se, .high = mean + 3.98 * se};
}

/* Two configurations, each with its status, the ratio that chooses and the one that confirms. */
TEST(the_best_is_confirmed_or_the_default_stays)
{
    static const struct {
        const char *sentence;
        enum sg_status status[2];
        double choose[2], confirm, se;
        size_t cases, chosen;
        const char *outcomes; /* of both */
    } rows[] = {
        ROW("the fastest", LIST(SG_OK, SG_OK), LIST(-0.1, -0.2), -0.2, 1e-3, 1, 2, "tried best"),
        ROW("never what is wrong", LIST(SG_WRONG, SG_OK), LIST(-9, -0.1), -0.1, 1e-3, 1, 2,
            "wrong best"),
        ROW("chosen by luck", LIST(SG_OK, SG_OK), LIST(-0.2, -0.1), 0.005, 1e-3, 1, 1,
            "not_confirmed tried"),
        ROW("1 in its interval", LIST(SG_OK, SG_OK), LIST(-0.02, 0), -0.003, 1e-3, 1, 1,
            "not_confirmed tried"),
        ROW("none is faster", LIST(SG_OK, SG_OK), LIST(0.1, 0.01), NAN, 1e-3, 1, 0, "tried tried"),
        ROW("crashed when timed", LIST(SG_OK, SG_CRASH), LIST(NAN, NAN), NAN, 1e-3, 1, 0,
            "tried crash"),
        ROW("4.5 standard errors in one case", LIST(SG_OK, SG_OK), LIST(-0.1, 0), -0.0045, 1e-3, 1,
            1, "best tried"),
        ROW("4.5 in one of 40", LIST(SG_OK, SG_OK), LIST(-0.1, 0), -0.0045, 1e-3, 40, 1,
            "not_confirmed tried"),
        ROW("12 in one of 40", LIST(SG_OK, SG_OK), LIST(-0.1, 0), -0.012, 1e-3, 40, 1,
            "best tried"),
        ROW("without any spread", LIST(SG_OK, SG_OK), LIST(-0.1, 0), -0.003, 0, 40, 1,
            "best tried"),
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct sg_sweep_try tries[40][3] = {0};
        struct sg_sweep_case cases[40] = {0};
        for (size_t c = 0; c < rows[r].cases; c++) {
            cases[c] = (struct sg_sweep_case){.tries = tries[c], .count = 3};
            for (size_t i = 0; i < 2; i++) {
                tries[c][i + 1].status = rows[r].status[i];
                if (!isnan(rows[r].choose[i]))
                    tries[c][i + 1].estimate[SG_SWEEP_CHOOSE] =
                        estimate_of(rows[r].choose[i], 0.01);
            }
        }
        sg_sweep_choose(cases, rows[r].cases);
        if (cases[0].chosen)
            tries[0][cases[0].chosen].estimate[SG_SWEEP_CONFIRM] =
                estimate_of(rows[r].confirm, rows[r].se);
        char found[64];
        snprintf(found, sizeof(found), "%s %s", sg_sweep_outcome(cases, 1),
                 sg_sweep_outcome(cases, 2));
        if (cases[0].chosen != rows[r].chosen || strcmp(found, rows[r].outcomes) != 0)
            fail_msg("%s: chosen was %zu, %s", rows[r].sentence, cases[0].chosen, found);
    }
}

TEST(ranks_are_by_outcome_then_by_time)
{
    struct sg_sweep_try tries[] = {
        {.status = SG_OK},
        {.status = SG_WRONG},
        {.estimate = {estimate_of(0.2, 0.01)}},
        {.estimate = {estimate_of(-0.1, 0.01)}},
        {.estimate = {estimate_of(-0.3, 0.01), estimate_of(-0.05, 0.01)}},
        {.status = SG_HANG, .estimate = {estimate_of(-0.9, 0.01)}},
    };
    static const size_t expected[] = {4, 3, 2, 1, 5};
    const struct sg_sweep_case c = {.tries = tries, .count = COUNT(tries), .chosen = 4};
    size_t order[COUNT(expected)];
    sg_sweep_rank(&c, order);
    assert_memory_equal(order, expected, sizeof(expected));
    /* The number of the chosen one is from the stage that did not choose it. */
    assert_true(sg_sweep_estimate(&tries[4])->mean == -0.05);
    assert_null(sg_sweep_estimate(&tries[5]));
}

TEST(what_is_written_can_be_read)
{
    static char command[] = "run null --sweep", knobs[] = "width=9223372036854775807 depth=1";
    for (int is_faster = 0; is_faster < 2; is_faster++) {
        struct sg_sweep_try tries[2] = {0};
        tries[1].knobs = knobs;
        tries[1].estimate[SG_SWEEP_CONFIRM] = estimate_of(is_faster ? -0.1 : 0.1, 0.001);
        const struct sg_listed_family family = {.name = "f"};
        const struct sg_listed_case listed = {.name = "c"};
        const struct sg_item item = {.family = &family, .case_ = &listed};
        struct sg_sweep_case c = {
            .item = &item, .tries = tries, .count = 2, .chosen = 1, .together = 1};
        const struct sg_sweep sweep = {.command = {.data = command}};
        const struct sg_swept swept = {.sweep = &sweep,
                                       .family = &family,
                                       .variant = &(struct sg_listed_variant){.name = "v"},
                                       .cases = &c,
                                       .case_count = 1};
        struct sg_knob_settings settings = {0};
        struct sg_err err = {0};
        SG_SCOPED(sg_text) text = {0};
        SCRATCH(s);
        sg_sweep_add_config(&swept, &text);
        assert_int_equal(sg_write_file(scratch_path(&s, "f.config"), text.data, text.length, &err),
                         SG_SUCCESS);
        assert_int_equal(sg_knob_file_read(s.path, &settings, &err), SG_SUCCESS);
        assert_int_equal(settings.count, is_faster);
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

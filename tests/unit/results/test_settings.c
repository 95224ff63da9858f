/* results/settings.h: both texts of each type of value, and what the table makes of the settings.
 */
#include <string.h>

#include "check.h"
#include "scratch.h"
#include "results/settings.h"

static const struct sg_setting *setting(const char *key)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++)
        if (strcmp(sg_setting_table[i].key, key) == 0)
            return &sg_setting_table[i];
    fail_msg("no setting is called %s", key);
    return NULL;
}

TEST(a_value_that_people_write_and_that_of_files)
{
    static const struct {
        const char *proves, *key, *written, *plain; /* plain NULL: refused */
    } table[] = {
        {"a word", "l2", "warm", "warm"},
        {"yes or no", "gate", "yes", "yes"},
        {"percent is a ratio", "tolerance", "0.25%", "0.0025"},
        {"a ratio needs its unit", "tolerance", "0.0025", NULL},
        {"a duration is in seconds", "deadline", "150ms", "0.15"},
        {"the least duration of the row", "deadline", "1ms", "0.001"},
        {"the most", "deadline", "1h", "3600"},
        {"less than the least", "deadline", "0s", NULL},
        {"a duration has a limit", "deadline", "2h", NULL},
        {"a number", "launches", "64", "64"},
        {"a number above its range", "launches", "65", NULL},
        {"an even number", "blocks", "8", "8"},
        {"an odd one", "blocks", "9", NULL},
        {"as many as it takes", "processes", "auto", "auto"},
        {"auto is of one setting", "repeats", "auto", NULL},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        const struct sg_setting *one = setting(table[i].key);
        struct sg_settings settings = sg_settings_of_defaults(), again = settings;
        struct sg_err err = {0};
        SG_SCOPED(sg_text) plain = {0}, twice = {0};
        const enum sg_code code = sg_setting_parse(one, table[i].written, &settings, &err);
        if ((code == SG_SUCCESS) != (table[i].plain != NULL))
            fail_msg("%s: '%s'", table[i].proves, err.message);
        if (code != SG_SUCCESS)
            continue;
        sg_setting_format(one, &settings, &plain);
        assert_string_equal(plain.data, table[i].plain);
        if (!(one->uses & SG_IN_ENV))
            continue;
        assert_int_equal(sg_setting_parse_plain(one, plain.data, &again, &err), SG_SUCCESS);
        sg_setting_format(one, &again, &twice);
        assert_string_equal(twice.data, table[i].plain);
    }
}

TEST(a_worker_gets_the_settings_of_its_plan)
{
    struct sg_settings plan = sg_settings_of_defaults(), worker = plan;
    struct sg_err err = {0};
    SG_SCOPED(sg_names) arguments = {0};
    plan.l2 = SG_L2_WARM;
    plan.blocks = 2; /* fewer than a suite may ask for */
    plan.sustained = true;
    plan.tolerance = 0.02; /* no argument: items have their own */
    sg_settings_add_arguments(&plan, &arguments);
    for (size_t i = 0; i < arguments.count; i++)
        sg_settings_take_argument(&worker, arguments.items[i] + strlen("--set="), &err);
    assert_int_equal(err.code, SG_SUCCESS);
    assert_true(worker.l2 == SG_L2_WARM && worker.blocks == 2 && worker.sustained);
    assert_true(worker.tolerance == SG_TOLERANCE_DEFAULT);
    sg_settings_take_argument(&worker, "deadline=3", &err);
    assert_error("no setting of workers", &err, SG_BAD_USAGE, "", "found 'deadline=3'");
}

TEST(env_has_a_switch_only_if_it_is_set)
{
    struct sg_settings settings = sg_settings_of_defaults();
    SG_SCOPED(sg_env) env = {0};
    sg_settings_to_env(&settings, NULL, &env);
    sg_settings_to_env(&settings, "f", &env);
    assert_null(sg_env_get(&env, "sustained"));
    assert_null(sg_env_get(&env, "gate.f"));
    assert_null(sg_env_get(&env, "gate"));
    assert_null(sg_env_get(&env, "deadline"));
    assert_string_equal(sg_env_word(&env, "tolerance.f"), "0.005");
    settings.sustained = settings.gate = true;
    sg_settings_to_env(&settings, NULL, &env);
    sg_settings_to_env(&settings, "f", &env);
    assert_string_equal(sg_env_word(&env, "sustained"), "yes");
    assert_string_equal(sg_env_word(&env, "gate.f"), "yes");
}

TEST(settings_that_must_be_equal)
{
    SG_SCOPED(sg_env) a = {0}, b = {0};
    SG_SCOPED(sg_text) of_a = {0}, of_b = {0};
    const char *keys[SG_SETTING_COUNT];
    assert_int_equal(sg_settings_keys(SG_MUST_EQUAL, keys), 1);
    assert_string_equal(keys[0], "l2");
    sg_env_set(&a, "l2", "cold");
    sg_env_set(&a, "launches", "8"); /* its numbers stay comparable */
    assert_string_equal(sg_settings_unequal(&a, &b, &of_a, &of_b)->key, "l2");
    assert_string_equal(sg_text_string(&of_a), "cold");
    assert_string_equal(sg_text_string(&of_b), "");
    sg_env_set(&b, "l2", "cold");
    assert_null(sg_settings_unequal(&a, &b, &of_a, &of_b));
}

TEST(a_resumed_run_has_the_same_settings)
{
    SG_SCOPED(sg_env) begun = {0}, here = {0};
    struct sg_err err = {0};
    sg_env_set(&begun, "seed", "1");
    sg_env_set(&here, "seed", "1");
    sg_env_set(&begun, "date", "2026-01-01"); /* no setting, and only of the run that began */
    assert_int_equal(sg_settings_check_resumed(&begun, &here, "R", &err), SG_SUCCESS);
    sg_env_set(&begun, "gate.f", "yes"); /* back at its default here */
    assert_int_equal(sg_settings_check_resumed(&begun, &here, "R", &err), SG_NOT_COMPARABLE);
    sg_env_set(&here, "gate.f", "yes");
    sg_env_set(&here, "sustained", "yes");
    err = (struct sg_err){0};
    assert_int_equal(sg_settings_check_resumed(&begun, &here, "R", &err), SG_NOT_COMPARABLE);
}

TEST(a_family_keeps_what_it_sets)
{
    struct sg_settings suite = sg_settings_of_defaults(), family = suite;
    const struct sg_settings_given given = {.tolerance = true};
    suite.tolerance = 0.01;
    suite.launches = 2;
    family.tolerance = 0.02;
    sg_settings_override(&family, &suite, &given, false);
    assert_true(family.tolerance == 0.02 && family.launches == 2);
}

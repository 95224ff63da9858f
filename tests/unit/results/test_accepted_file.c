/* results/accepted_file.h: accepted numbers from their file and back, whether the file is whole,
 * and a GPU's own numbers before those of its model. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/accepted_file.h"
#include "results/row_kind.h"

#define COLUMNS                                                                                \
    "gpu,family,case,variant,metric,unit,value,low,high,n,status,message,tolerance,gate,beta," \
    "f0,sd_process,sd_day,expect,reason,origin,se,sd\n"
#define FACT(gpu, key, value) gpu ",,,," key ",,,,,,," value ",,,,,,,,,,,\n"
#define ENV                                    \
    FACT("h200", "schema", SG_SCHEMA_ACCEPTED) \
    FACT("h200", "gpu", "h200") FACT("h200", "suite", "smoke")
#define RATIO   "h200,f,c,v,time_ratio,1,1,0.99,1.01,5,ok,base,0.005,yes,,,0.0004,0,,,2:a+b,,\n"
#define ROLE    "h200,f,c,v,role,,,,,,ok,candidate,,no,,,,,,,,,\n"
#define STATUS  "h200,f,c,v,status,,,,,,ok,,,yes,,,,,,,,,\n"
#define COUNTER "h200,f,c,v,registers,register,40,,,1,ok,,,no,,,,,,,,,\n"

static void write_text(struct scratch *s, const char *name, const char *text)
{
    scratch_write(s, name, text, strlen(text));
}

static enum sg_code read_numbers(struct scratch *s, struct sg_accepted_suite *suite,
                                 struct sg_err *err)
{
    return sg_accepted_suite_read(scratch_path(s, "smoke.csv"), suite, err);
}

/* The file as it is written, sealed. */
static void write_sealed(struct scratch *s, const char *lines)
{
    struct sg_err err = {0};
    struct sg_accepted_suite suite;
    write_text(s, "smoke.csv", lines);
    assert_int_equal(read_numbers(s, &suite, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_suite_write(scratch_path(s, "smoke.csv"), &suite, &err),
                     SG_SUCCESS);
}

/* Replaces `old` in the file, or appends where `old` is "". */
static void edit_file(struct scratch *s, const char *name, const char *old, const char *new)
{
    struct sg_text text = scratch_read(s, name), edited = {0};
    const char *at =
        *old ? strstr(sg_text_string(&text), old) : sg_text_string(&text) + text.length;
    assert_non_null(at);
    sg_text_add_bytes(&edited, text.data, (size_t)(at - text.data));
    sg_text_addf(&edited, "%s%s", new, at + strlen(old));
    scratch_write(s, name, edited.data, edited.length);
    sg_text_release(&text);
    sg_text_release(&edited);
}

TEST(what_was_changed_by_hand_is_not_vouched_for)
{
    static const struct {
        const char *sentence, *old, *new;
        const char *says; /* "": it is whole */
    } rows[] = {
        {"all as they were written", "0.005", "0.005", ""},
        {"another tolerance", "0.005", "0.05", "was changed since it was accepted"},
        {"one more row", "", "h200,f,c,w,status,,,,,,ok,,,yes,,,,,,,,,\n",
         "was changed since it was accepted"},
        {"one row less", STATUS, "", "was changed since it was accepted"},
        {"another counter", "40", "41", "was changed since it was accepted"},
        {"another fact", ",smoke,", ",other,", "was changed since it was accepted"},
        {"no digest", ",,,,digest,", "h200,,,,digest_of_old,", "it has no digest"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        struct sg_accepted_suite suite;
        SCRATCH(s);
        write_sealed(&s, COLUMNS ENV COUNTER ROLE STATUS RATIO);
        edit_file(&s, "smoke.csv", rows[i].old, rows[i].new);
        assert_int_equal(read_numbers(&s, &suite, &err), SG_SUCCESS);
        sg_accepted_suite_check_seal(&suite, &err);
        const bool whole = !*rows[i].says;
        assert_error(rows[i].sentence, &err, whole ? SG_SUCCESS : SG_NOT_COMPARABLE,
                     whole ? "" : "smoke.csv", rows[i].says);
        if (!whole)
            assert_non_null(strstr(err.message, "solgate accepted seal"));
    }
}

TEST(files_that_are_refused)
{
    static const struct {
        const char *sentence, *text;
        enum sg_code code;
        const char *place, *says;
    } rows[] = {
        {"of an older schema", COLUMNS FACT("h200", "schema", "4") STATUS, SG_NOT_COMPARABLE,
         "smoke.csv:2", "expected the schema 5, found '4'"},
        {"without a schema", COLUMNS STATUS, SG_BAD_INPUT, "smoke.csv:1",
         "the key 'schema' is missing"},
        {"a fact twice", COLUMNS ENV FACT("h200", "gpu", "h200"), SG_BAD_INPUT, "smoke.csv:5",
         "expected each key once"},
        {"rows of no GPU", COLUMNS ENV ",f,c,v,status,,,,,,ok,,,yes,,,,,,,,,\n", SG_BAD_INPUT,
         "smoke.csv:5", "gpu: expected a name"},
        {"of an earlier version", "family,case\nf,c\n", SG_NOT_COMPARABLE, "smoke.csv:1",
         "scripts/convert.py"},
        {"that is empty", "", SG_BAD_INPUT, "smoke.csv:1", "found an empty file"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        struct sg_accepted_suite suite;
        SCRATCH(s);
        write_text(&s, "smoke.csv", rows[i].text);
        read_numbers(&s, &suite, &err);
        assert_error(rows[i].sentence, &err, rows[i].code, rows[i].place, rows[i].says);
    }
}

TEST(numbers_of_several_gpus_stay_apart)
{
    struct sg_err err = {0};
    struct sg_accepted_suite suite;
    SCRATCH(s);
    write_sealed(&s, COLUMNS ENV STATUS FACT(
                         "a1", "schema",
                         SG_SCHEMA_ACCEPTED) "a1,f,c,v,status,,,,,,wrong,,,yes,,,,,wrong,,,,\n");
    assert_int_equal(read_numbers(&s, &suite, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_suite_check_seal(&suite, &err), SG_SUCCESS);
    assert_int_equal(suite.count, 2);
    assert_string_equal(suite.items[0].gpu, "a1");
    const struct sg_accepted_file *card = sg_accepted_suite_find(&suite, "a1"),
                                  *model = sg_accepted_suite_find(&suite, "h200");
    assert_int_equal(sg_table_find(&card->table, "f", "c", "v", "status")->status, SG_WRONG);
    assert_int_equal(sg_table_find(&model->table, "f", "c", "v", "status")->status, SG_OK);
    assert_null(sg_env_get(&card->env, "gpu"));
    assert_null(sg_accepted_suite_find(&suite, "b200"));
}

/* Numbers of a GPU, or of its model, from rows "variant metric". */
static void fill(struct sg_accepted_file *file, const char *const *rows, double value)
{
    struct sg_err err = {0};
    for (size_t i = 0; rows[i]; i++) {
        char variant[16], metric[16];
        assert_int_equal(sscanf(rows[i], "%15s %15s", variant, metric), 2);
        sg_table_add(&file->table, &(struct sg_value){.family = "f",
                                                      .case_ = "c",
                                                      .variant = variant,
                                                      .metric = metric,
                                                      .value = value,
                                                      .has = SG_HAS_VALUE});
        struct sg_accepted *accepted = sg_accepted_add(file);
        accepted->tolerance = 0.01 * value;
        accepted->reason = sg_table_intern(&file->table, value > 1 ? "as the model" : "");
    }
    assert_int_equal(sg_accepted_sort(file, NULL, &err), SG_SUCCESS);
}

TEST(a_gpus_numbers_are_added_to_those_of_its_model)
{
    static const struct {
        const char *sentence;
        const char *own[4], *model[6];
        const char *found; /* variant/metric of all rows, those of the model with a star */
    } rows[] = {
        {"what the GPU has comes first",
         {"a role", "a time"},
         {"a role", "a time", "b role", "b time"},
         "a/role a/time b/role* b/time* "},
        {"a model that has no other item is not needed",
         {"a role", "a time", "b role"},
         {"a role", "a status"},
         "a/role a/status* a/time b/role "},
        {"what the model waives of its numbers is not waived of the GPU's",
         {"a role", "a time"},
         {"a " SG_WAIVER_METRIC, "b role", "b " SG_WAIVER_METRIC},
         "a/role a/time b/role* b/waiver* "},
        {"all of the model where the GPU has nothing",
         {NULL},
         {"a role", "a time"},
         "a/role* a/time* "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_accepted_file own = {0}, model = {0};
        SG_SCOPED(sg_text) found = {0};
        fill(&own, rows[i].own, 1);
        fill(&model, rows[i].model, 2);
        sg_env_set(&model.env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_WHOLE);
        sg_accepted_file_add_model(&own, &model);
        for (size_t k = 0; k < own.table.count; k++) {
            const struct sg_value value = sg_value_of(&own.table, &own.table.rows[k]);
            const struct sg_accepted *accepted = &own.accepted[k];
            const char *reason = sg_table_string(&own.table, accepted->reason);
            sg_text_addf(&found, "%s/%s%s ", value.variant, value.metric,
                         accepted->of_model ? "*" : "");
            if ((value.value == 2) != accepted->of_model ||
                fabs(accepted->tolerance - 0.01 * value.value) > 1e-12 ||
                strcmp(reason, accepted->of_model ? "as the model" : "") != 0)
                fail_msg("%s: %s/%s has what belongs to another row", rows[i].sentence,
                         value.variant, value.metric);
        }
        if (strcmp(sg_text_string(&found), rows[i].found) != 0)
            fail_msg("%s: %s", rows[i].sentence, sg_text_string(&found));
        assert_true(sg_accepted_file_is_whole(&own)); /* by the model's plan: its own names none */
        assert_int_equal(model.table.count, 0);
    }
}

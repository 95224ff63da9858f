/* results/accepted_file.h: accepted numbers from their files and back, whether they are whole, a
 * writing that was cut short, and a GPU's own numbers before those of its model. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/accepted_lines.h"
#include "results/row_kind.h"

#define COLUMNS  "family,case,variant,metric,unit,value,low,high,n,status,message"
#define JUDGED   COLUMNS ",tolerance,gate,beta,f0,sd_process,sd_day,expect,reason,se,sd\n"
#define COUNTERS COLUMNS ",spread,gate,reason\n"
#define ENV      "key,value\nschema," SG_SCHEMA_ACCEPTED "\ngpu,h200\nsuite,smoke\n"
#define RATIO    "f,c,v,time_ratio,1,1,0.99,1.01,5,ok,base,0.005,yes,,,0.0004,0,,,,\n"
#define RATIO2   "f,c,v,time_ratio,1,2,1.99,2.01,5,ok,base,0.005,yes,,,0.0004,0,,,,\n"
#define ROLE     "f,c,v,role,,,,,,ok,candidate,,no,,,,,,,,\n"
#define STATUS   "f,c,v,status,,,,,,ok,,,yes,,,,,,,,\n"
#define COUNTER  "f,c,v,registers,register,40,,,1,ok,,,no,\n"
#define COUNTER2 "f,c,v,registers,register,41,,,1,ok,,,no,\n"

static void write_text(struct scratch *s, const char *name, const char *text)
{
    scratch_write(s, name, text, strlen(text));
}

static enum sg_code read_numbers(struct scratch *s, struct sg_accepted_file *file,
                                 struct sg_err *err)
{
    return sg_accepted_file_read(scratch_path(s, "smoke.csv"), file, err);
}

/* All files as they are written, sealed. */
static void write_sealed(struct scratch *s, const char *judged, const char *counters)
{
    struct sg_err err = {0};
    SG_SCOPED(sg_accepted_file) file;
    write_text(s, "smoke.csv", judged);
    write_text(s, "smoke.counters.csv", counters);
    write_text(s, "smoke.env.csv", ENV);
    assert_int_equal(read_numbers(s, &file, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_file_write(scratch_path(s, "smoke.csv"), &file, &err), SG_SUCCESS);
}

static void copy_file(struct scratch *s, const char *from, const char *to)
{
    struct sg_text text = scratch_read(s, from);
    scratch_write(s, to, sg_text_string(&text), text.length);
    sg_text_release(&text);
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
        const char *sentence, *file, *old, *new;
        const char *says; /* "": it is whole */
    } rows[] = {
        {"all as they were written", "smoke.csv", "0.005", "0.005", ""},
        {"another tolerance", "smoke.csv", "0.005", "0.05", "was changed since it was accepted"},
        {"one more row", "smoke.csv", "", "f,c,w,status,,,,,,ok,,,yes,,,,,,,,\n",
         "was changed since it was accepted"},
        {"one row less", "smoke.csv", STATUS, "", "was changed since it was accepted"},
        {"another counter", "smoke.counters.csv", "40", "41", "was changed since it was accepted"},
        {"another fact in the env", "smoke.env.csv", "suite,smoke", "suite,other",
         "was changed since it was accepted"},
        {"another number of items", "smoke.env.csv", "accepted_items,1", "accepted_items,2",
         "was changed since it was accepted"},
        {"no digest", "smoke.env.csv", "digest,", "digest_of_old,", "it has no digest"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_accepted_file) file;
        SCRATCH(s);
        write_sealed(&s, JUDGED RATIO ROLE STATUS, COUNTERS COUNTER);
        edit_file(&s, rows[i].file, rows[i].old, rows[i].new);
        assert_int_equal(read_numbers(&s, &file, &err), SG_SUCCESS);
        sg_accepted_file_check_seal(&file, &err);
        const bool whole = !*rows[i].says;
        assert_error(rows[i].sentence, &err, whole ? SG_SUCCESS : SG_NOT_COMPARABLE,
                     whole ? "" : "smoke.csv", rows[i].says);
        if (!whole)
            assert_non_null(strstr(err.message, "solgate accepted seal"));
    }
}

/* Which files are there, of numbers whose files are whole. */
TEST(files_that_are_not_there)
{
    static const struct {
        const char *sentence, *gone;
        enum sg_code code;
        const char *place, *says;
    } rows[] = {
        {"no counters", "smoke.counters.csv", SG_NOT_COMPARABLE, "smoke.csv",
         "was changed since it was accepted"},
        {"no env", "smoke.env.csv", SG_BAD_INPUT, "smoke.env.csv", "No such file"},
        {"no table", "smoke.csv", SG_BAD_INPUT, "smoke.csv", "No such file"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_accepted_file) file;
        SCRATCH(s);
        write_sealed(&s, JUDGED STATUS, COUNTERS COUNTER);
        unlink(scratch_path(&s, rows[i].gone));
        if (read_numbers(&s, &file, &err) == SG_SUCCESS)
            sg_accepted_file_check_seal(&file, &err);
        assert_error(rows[i].sentence, &err, rows[i].code, rows[i].place, rows[i].says);
        assert_true(sg_accepted_file_is_there(file.path));
    }
}

TEST(an_env_of_other_numbers_is_refused)
{
    static const struct {
        const char *sentence, *env;
        enum sg_code code;
        const char *place, *says;
    } rows[] = {
        {"of an older schema", "key,value\nschema,3\n", SG_NOT_COMPARABLE, "smoke.env.csv:2",
         "expected the schema 4, found '3'"},
        {"without a schema", "key,value\n", SG_BAD_INPUT, "smoke.env.csv:1",
         "the key 'schema' is missing"},
        {"that is empty", "", SG_BAD_INPUT, "smoke.env.csv:1", "found an empty file"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_accepted_file) file;
        SCRATCH(s);
        write_text(&s, "smoke.csv", JUDGED STATUS);
        write_text(&s, "smoke.env.csv", rows[i].env);
        read_numbers(&s, &file, &err);
        assert_error(rows[i].sentence, &err, rows[i].code, rows[i].place, rows[i].says);
    }
}

/* The states that a writing can be cut short in, in their order: the new tables are written beside,
 * the env replaced, the tables replaced one after the other. */
TEST(a_writing_that_was_cut_short_is_all_old_or_all_new)
{
    enum { OLD, NEW, NONE, TORN };
    static const struct {
        const char *sentence;
        int table, counters, env, next, next_counters;
        double value; /* 1: old, 2: new, 0: refused */
    } rows[] = {
        {"nothing begun", OLD, OLD, OLD, NONE, NONE, 1},
        {"half a table beside", OLD, OLD, OLD, TORN, NONE, 1},
        {"the new tables beside", OLD, OLD, OLD, NEW, NEW, 1},
        {"the new env beside the old tables", OLD, OLD, NEW, NEW, NEW, 2},
        {"one table in its place", NEW, OLD, NEW, NONE, NEW, 2},
        {"all done", NEW, NEW, NEW, NONE, NONE, 2},
        {"all done, with older tables beside", NEW, NEW, NEW, OLD, OLD, 2},
        {"the new env and no new tables", OLD, OLD, NEW, NONE, NONE, 0},
        {"the new env and half a table", OLD, OLD, NEW, TORN, NEW, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const char *const table[] = {"old.csv", "new.csv", NULL, "torn.csv"},
                                 *const counters[] = {"old.counters.csv", "new.counters.csv", NULL,
                                                      NULL},
                                 *const env[] = {"old.env.csv", "new.env.csv"};
        struct sg_err err = {0};
        struct sg_accepted_file file;
        SCRATCH(s);
        write_sealed(&s, JUDGED RATIO2 ROLE STATUS, COUNTERS COUNTER2);
        copy_file(&s, "smoke.csv", "new.csv");
        copy_file(&s, "smoke.counters.csv", "new.counters.csv");
        copy_file(&s, "smoke.env.csv", "new.env.csv");
        write_text(&s, "torn.csv", JUDGED RATIO2);
        write_sealed(&s, JUDGED RATIO ROLE STATUS, COUNTERS COUNTER);
        copy_file(&s, "smoke.csv", "old.csv");
        copy_file(&s, "smoke.counters.csv", "old.counters.csv");
        copy_file(&s, "smoke.env.csv", "old.env.csv");
        copy_file(&s, table[rows[i].table], "smoke.csv");
        copy_file(&s, counters[rows[i].counters], "smoke.counters.csv");
        copy_file(&s, env[rows[i].env], "smoke.env.csv");
        if (table[rows[i].next])
            copy_file(&s, table[rows[i].next], "smoke.csv.next");
        if (counters[rows[i].next_counters])
            copy_file(&s, counters[rows[i].next_counters], "smoke.counters.csv.next");
        const bool ok = read_numbers(&s, &file, &err) == SG_SUCCESS &&
                        sg_accepted_file_check_seal(&file, &err) == SG_SUCCESS;
        const struct sg_row *row = sg_table_find(&file.table, "f", "c", "v", "time_ratio");
        const struct sg_row *counter = sg_table_find(&file.table, "f", "c", "v", "registers");
        if (ok != (rows[i].value > 0) ||
            (ok && (row->value != rows[i].value || counter->value != 39 + rows[i].value)))
            fail_msg("%s: %s", rows[i].sentence, ok ? "the other one" : err.message);
        sg_accepted_file_release(&file);
        /* And the next acceptance begins from there: nothing waits behind it. */
        err = (struct sg_err){0};
        write_sealed(&s, JUDGED RATIO ROLE STATUS, COUNTERS COUNTER);
        assert_int_equal(read_numbers(&s, &file, &err), SG_SUCCESS);
        assert_int_equal(sg_accepted_file_check_seal(&file, &err), SG_SUCCESS);
        assert_true(sg_table_find(&file.table, "f", "c", "v", "time_ratio")->value == 1);
        assert_int_equal(access(scratch_path(&s, "smoke.csv.next"), F_OK), -1);
        sg_accepted_file_release(&file);
    }
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
        bool needs_model;
    } rows[] = {
        {"what the GPU has comes first",
         {"a role", "a time"},
         {"a role", "a time", "b role", "b time"},
         "a/role a/time b/role* b/time* ",
         true},
        {"a model that has no other item is not needed",
         {"a role", "a time", "b role"},
         {"a role", "a status"},
         "a/role a/status* a/time b/role ",
         false},
        {"what the model waives of its numbers is not waived of the GPU's",
         {"a role", "a time"},
         {"a " SG_WAIVER_METRIC, "b role", "b " SG_WAIVER_METRIC},
         "a/role a/time b/role* b/waiver* ",
         true},
        {"all of the model where the GPU has nothing",
         {NULL},
         {"a role", "a time"},
         "a/role* a/time* ",
         true},
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
        if (strcmp(sg_text_string(&found), rows[i].found) != 0 ||
            own.needs_model != rows[i].needs_model)
            fail_msg("%s: %s", rows[i].sentence, sg_text_string(&found));
        assert_true(sg_accepted_file_is_whole(&own)); /* by the model's plan: its own names none */
        assert_int_equal(model.table.count, 0);
        sg_accepted_file_release(&own);
    }
}

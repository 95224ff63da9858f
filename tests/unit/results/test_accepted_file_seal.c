/* results/accepted_file.h: are accepted numbers whole? Digests, a writing that was cut short, and a
 * GPU's own numbers before those of its model. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/row_kind.h"
#include "results/accepted_file.h"
#include "results/env.h"

#define HEADER         SG_BASELINE_HEADER_1 "\n"
#define ENV            "key,value\nschema,1\ngpu,h200\nsuite,smoke\n"
#define RATIO          "f,c,v,time_ratio,1,1,0.99,1.01,5,ok,against base,0.005,yes,,,0.0004,0,,\n"
#define RATIO_NEW      "f,c,v,time_ratio,1,2,1.99,2.01,5,ok,against base,0.005,yes,,,0.0004,0,,\n"
#define ROLE           "f,c,v,role,,,,,,ok,candidate,,no,,,,,,\n"
#define STATUS         "f,c,v,status,,,,,,ok,,,yes,,,,,,\n"
#define STATUS_WRITTEN "f,c,v,status,,,,,,ok,,,yes,,,,,,,,\n" /* with the columns of schema 2 */

static const struct sg_catalogue catalogue; /* of nothing: which counters are noisy is another test's */

static void write_text(struct scratch *s, const char *name, const char *text)
{
    scratch_write(s, name, text, strlen(text));
}

/* Both files as they are written, sealed. */
static void write_sealed(struct scratch *s, const char *rows)
{
    struct sg_err err = {0};
    struct sg_accepted_file baseline;
    write_text(s, "smoke.csv", rows);
    write_text(s, "smoke.env.csv", ENV);
    assert_int_equal(sg_accepted_file_read(scratch_path(s, "smoke.csv"), &baseline, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_file_write(scratch_path(s, "smoke.csv"), &baseline, &catalogue, &err), SG_SUCCESS);
    sg_accepted_file_release(&baseline);
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
    const char *at = *old ? strstr(sg_text_string(&text), old) : sg_text_string(&text) + text.length;
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
        {"both as they were written", "smoke.csv", "0.005", "0.005", ""},
        {"another tolerance", "smoke.csv", "0.005", "0.05", "was changed since it was accepted"},
        {"a gate that was opened", "smoke.csv", "yes", "no", "was changed since it was accepted"},
        {"another value", "smoke.csv", ",1,0.99", ",1.2,0.99", "was changed since it was accepted"},
        {"one more row", "smoke.csv", "", "f,c,w,status,,,,,,ok,,,yes,,,,,,,,\n", "was changed since it was accepted"},
        {"one row less", "smoke.csv", STATUS_WRITTEN, "", "was changed since it was accepted"},
        {"another fact in the env", "smoke.env.csv", "suite,smoke", "suite,other", "was changed since it was accepted"},
        {"one more fact", "smoke.env.csv", "", "tolerance_max,0.9\n", "was changed since it was accepted"},
        {"another number of items", "smoke.env.csv", "accepted_items,1", "accepted_items,2", "was changed since it was accepted"},
        {"another digest", "smoke.env.csv", "digest,", "digest,0", "was changed since it was accepted"},
        {"no digest", "smoke.env.csv", "digest,", "digest_of_old,", "it has no digest"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scratch s;
        struct sg_err err = {0};
        struct sg_accepted_file baseline;
        scratch_init(&s);
        write_sealed(&s, HEADER RATIO ROLE STATUS);
        edit_file(&s, rows[i].file, rows[i].old, rows[i].new);
        assert_int_equal(sg_accepted_file_read(scratch_path(&s, "smoke.csv"), &baseline, &err), SG_SUCCESS);
        sg_accepted_file_check_seal(&baseline, &err);
        const bool whole = !*rows[i].says;
        assert_error(rows[i].sentence, &err, whole ? SG_SUCCESS : SG_NOT_COMPARABLE, whole ? "" : "smoke.csv", rows[i].says);
        if (!whole)
            assert_non_null(strstr(err.message, "solgate baseline seal"));
        sg_accepted_file_release(&baseline);
        scratch_release(&s);
    }
}

TEST(a_header_alone_is_not_vouched_for)
{
    struct scratch s;
    struct sg_err err = {0};
    struct sg_accepted_file baseline;
    scratch_init(&s);
    write_sealed(&s, HEADER);
    assert_int_equal(sg_accepted_file_read(scratch_path(&s, "smoke.csv"), &baseline, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_file_check_seal(&baseline, &err), SG_NOT_COMPARABLE);
    sg_accepted_file_release(&baseline);
    scratch_release(&s);
}

/* The states that a writing can be cut short in, in their order: the new table is written beside,
 * the env replaced, the table replaced. */
TEST(a_writing_that_was_cut_short_is_all_old_or_all_new)
{
    enum { OLD, NEW, NONE, TORN };
    static const struct {
        const char *sentence;
        int table, env, next;
        double value; /* 1: old, 2: new, 0: refused */
    } rows[] = {
        {"nothing begun", OLD, OLD, NONE, 1},
        {"half a table beside", OLD, OLD, TORN, 1},
        {"the new table beside", OLD, OLD, NEW, 1},
        {"the new env beside the old table", OLD, NEW, NEW, 2},
        {"the new env, and the old table gone", NONE, NEW, NEW, 2},
        {"all done", NEW, NEW, NONE, 2},
        {"all done, with the table beside again", NEW, NEW, NEW, 2},
        {"all done, with an older table beside", NEW, NEW, OLD, 2},
        {"the new env and no new table", OLD, NEW, NONE, 0},
        {"the new env and half a table", OLD, NEW, TORN, 0},
        {"no table but a torn one", NONE, NEW, TORN, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const char *const table[] = {"old.csv", "new.csv", NULL, "torn.csv"}, *const env[] = {"old.env.csv", "new.env.csv"};
        struct scratch s;
        struct sg_err err = {0};
        struct sg_accepted_file baseline;
        scratch_init(&s);
        write_sealed(&s, HEADER RATIO_NEW ROLE STATUS);
        copy_file(&s, "smoke.csv", "new.csv");
        copy_file(&s, "smoke.env.csv", "new.env.csv");
        write_text(&s, "torn.csv", HEADER RATIO_NEW);
        write_sealed(&s, HEADER RATIO ROLE STATUS);
        copy_file(&s, "smoke.csv", "old.csv");
        copy_file(&s, "smoke.env.csv", "old.env.csv");
        unlink(scratch_path(&s, "smoke.csv"));
        if (table[rows[i].table])
            copy_file(&s, table[rows[i].table], "smoke.csv");
        copy_file(&s, env[rows[i].env], "smoke.env.csv");
        if (table[rows[i].next])
            copy_file(&s, table[rows[i].next], "smoke.csv.next");
        const bool ok = sg_accepted_file_read(scratch_path(&s, "smoke.csv"), &baseline, &err) == SG_SUCCESS &&
                        sg_accepted_file_check_seal(&baseline, &err) == SG_SUCCESS;
        const struct sg_row *row = sg_table_find(&baseline.table, "f", "c", "v", "time_ratio");
        if (ok != (rows[i].value > 0) || (ok && (!row || row->value != rows[i].value)))
            fail_msg("%s: %s", rows[i].sentence, ok ? "the other one" : err.message);
        sg_accepted_file_release(&baseline);
        /* And the next acceptance begins from there: nothing waits behind it. */
        err = (struct sg_err){0};
        write_sealed(&s, HEADER RATIO ROLE STATUS);
        assert_int_equal(sg_accepted_file_read(scratch_path(&s, "smoke.csv"), &baseline, &err), SG_SUCCESS);
        assert_int_equal(sg_accepted_file_check_seal(&baseline, &err), SG_SUCCESS);
        assert_true(sg_table_find(&baseline.table, "f", "c", "v", "time_ratio")->value == 1);
        assert_int_equal(access(scratch_path(&s, "smoke.csv.next"), F_OK), -1);
        sg_accepted_file_release(&baseline);
        scratch_release(&s);
    }
}

/* A table of a GPU, or of its model, from rows "variant metric". */
static void fill(struct sg_accepted_file *baseline, const char *const *rows, double value)
{
    for (size_t i = 0; rows[i]; i++) {
        char variant[16], metric[16];
        assert_int_equal(sscanf(rows[i], "%15s %15s", variant, metric), 2);
        struct sg_value row = {.family = "f", .case_ = "c", .variant = variant, .metric = metric, .value = value, .has = SG_HAS_VALUE};
        sg_table_add(&baseline->table, &row);
        baseline->accepted = realloc(baseline->accepted, baseline->table.count * sizeof(*baseline->accepted));
        baseline->accepted[i] = (struct sg_accepted){.tolerance = 0.01 * value, .gate = true};
        baseline->accepted[i].expect = sg_table_intern(&baseline->table, value > 1 ? "regressed" : "");
        baseline->accepted[i].reason = sg_table_intern(&baseline->table, value > 1 ? "as the model" : "");
    }
    struct sg_err err = {0};
    sg_env_set(&baseline->env, "schema", "1");
    assert_int_equal(sg_table_sort_with(&baseline->table, &(struct sg_beside){baseline->accepted, sizeof(*baseline->accepted), NULL}, &err),
                     SG_SUCCESS);
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
        {"a row that the GPU lacks comes too",
         {"b role", "b time"},
         {"a role", "b role", "b status", "b time"},
         "a/role* b/role b/status* b/time ",
         true},
        {"all of the model where the GPU has nothing", {NULL}, {"a role", "a time"}, "a/role* a/time* ", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_accepted_file own = {0}, model = {0};
        struct sg_text found = {0};
        fill(&own, rows[i].own, 1);
        fill(&model, rows[i].model, 2);
        sg_env_set(&model.env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_WHOLE);
        sg_accepted_file_add_model(&own, &model);
        for (size_t k = 0; k < own.table.count; k++) {
            const struct sg_value value = sg_value_of(&own.table, &own.table.rows[k]);
            const struct sg_accepted *accepted = &own.accepted[k];
            const char *expect = sg_table_string(&own.table, accepted->expect), *reason = sg_table_string(&own.table, accepted->reason);
            sg_text_addf(&found, "%s/%s%s ", value.variant, value.metric, accepted->of_model ? "*" : "");
            if ((value.value == 2) != accepted->of_model || fabs(accepted->tolerance - 0.01 * value.value) > 1e-12 ||
                strcmp(expect, accepted->of_model ? "regressed" : "") != 0 || strcmp(reason, accepted->of_model ? "as the model" : "") != 0)
                fail_msg("%s: %s/%s has what belongs to another row", rows[i].sentence, value.variant, value.metric);
        }
        if (strcmp(sg_text_string(&found), rows[i].found) != 0 || own.needs_model != rows[i].needs_model)
            fail_msg("%s: %s", rows[i].sentence, sg_text_string(&found));
        assert_true(sg_accepted_file_is_whole(&own)); /* by the model's plan: its own names none */
        assert_int_equal(model.table.count, 0);
        sg_text_release(&found);
        sg_accepted_file_release(&own);
    }
}

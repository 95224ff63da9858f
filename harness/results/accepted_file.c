#include "results/accepted_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/accepted_lines.h"
#include "results/row_kind.h"
#include "util/file.h"

#define ENDING ".csv"
#define NEXT   ".next"

/* ---- rows ---- */

struct sg_accepted *sg_accepted_add(struct sg_accepted_file *file)
{
    file->accepted =
        sg_grow(file->accepted, &file->capacity, file->table.count, sizeof(*file->accepted));
    struct sg_accepted *accepted = &file->accepted[file->table.count - 1];
    *accepted = (struct sg_accepted){
        .tolerance = NAN, .beta = NAN, .f0 = NAN, .sd_process = NAN, .sd_day = NAN};
    return accepted;
}

struct sg_accepted *sg_accepted_add_copy(struct sg_accepted_file *file,
                                         const struct sg_accepted_file *from, size_t index)
{
    const struct sg_value value = sg_value_of(&from->table, &from->table.rows[index]);
    sg_table_add(&file->table, &value);
    struct sg_accepted *accepted = sg_accepted_add(file);
    *accepted = from->accepted[index];
    accepted->expect =
        sg_table_intern(&file->table, sg_table_string(&from->table, accepted->expect));
    accepted->reason =
        sg_table_intern(&file->table, sg_table_string(&from->table, accepted->reason));
    return accepted;
}

enum sg_code sg_accepted_sort(struct sg_accepted_file *file, const char *path, struct sg_err *err)
{
    const struct sg_sort_context beside = {
        .elements = file->accepted, .size = sizeof(*file->accepted), .path = path};
    return sg_table_sort_with(&file->table, &beside, err);
}

/* ---- the files ---- */

/* Writes several files as one. First the new tables are written next to the old ones (.next). Then
 * the new env replaces the old one, which commits the write. Then the tables replace the old ones.
 * After an interruption, a table that matches the digest of the env may still be a .next file. */
struct files {
    struct sg_text table, counters, env;
    struct sg_text next[2]; /* of the table and the counters */
    const char *is[2];      /* paths to read the table and the counters from */
};

static void release_files(struct files *files)
{
    sg_text_release(&files->table);
    sg_text_release(&files->counters);
    sg_text_release(&files->env);
    sg_text_release(&files->next[0]);
    sg_text_release(&files->next[1]);
}

static enum sg_code name_files(const char *path, struct files *files, struct sg_err *err)
{
    const size_t length = strlen(path), stem = length - strlen(ENDING);
    *files = (struct files){.table = {0}};
    if (length <= strlen(ENDING) || strcmp(path + stem, ENDING) != 0)
        return sg_fail(err, SG_BAD_INPUT, path,
                       "expected accepted numbers, whose name ends in " ENDING);
    sg_text_add(&files->table, path);
    sg_text_addf(&files->counters, "%.*s.counters" ENDING, (int)stem, path);
    sg_text_addf(&files->env, "%.*s.env" ENDING, (int)stem, path);
    sg_text_addf(&files->next[0], "%s" NEXT, files->table.data);
    sg_text_addf(&files->next[1], "%s" NEXT, files->counters.data);
    files->is[0] = files->table.data;
    files->is[1] = files->counters.data;
    return SG_SUCCESS;
}

static bool is_there(const char *path)
{
    return path && access(path, F_OK) == 0;
}

static bool has_digest(const struct sg_env *env, const struct sg_digest *digest)
{
    const char *expected = sg_env_get(env, SG_DIGEST_KEY);
    return expected && strcmp(expected, sg_digest_word(digest).text) == 0;
}

/* True if the digest of the env matches these two tables. */
static bool vouches_for(const struct sg_env *env, const char *const table[2])
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    struct sg_err none = {0};
    for (size_t i = 0; i < 2; i++)
        if (is_there(table[i]))
            sg_digest_add_text_file(&digest, table[i], &none);
    sg_env_digest(env, &digest);
    return none.code == SG_SUCCESS && has_digest(env, &digest);
}

/* Reads a .next table in place of the current one if the digest of the env matches the .next
 * table. */
static void find_waiting(struct files *files, const struct sg_env *env)
{
    const bool waits[2] = {is_there(files->next[0].data), is_there(files->next[1].data)};
    const char *const waiting[2] = {waits[0] ? files->next[0].data : files->is[0],
                                    waits[1] ? files->next[1].data : files->is[1]};
    if ((waits[0] || waits[1]) && !vouches_for(env, files->is) && vouches_for(env, waiting))
        memcpy(files->is, waiting, sizeof(files->is));
}

bool sg_accepted_file_is_there(const char *path)
{
    struct files files;
    struct sg_err none = {0};
    if (is_there(path) || name_files(path, &files, &none) != SG_SUCCESS)
        return is_there(path);
    const bool has_env = is_there(files.env.data);
    release_files(&files);
    return has_env;
}

/* ---- reading ---- */

/* The file of counters is optional; the digest shows whether one is lost. */
static enum sg_code read_tables(const struct files *files, struct sg_accepted_file *file,
                                struct sg_err *err)
{
    file->digest = SG_DIGEST_EMPTY;
    if (sg_csv_read_digested(files->is[0], sg_accepted_take_judged, file, &file->digest, err) !=
            SG_SUCCESS ||
        sg_accepted_sort(file, files->is[0], err) != SG_SUCCESS)
        return err->code;
    if (is_there(files->is[1]) && (sg_csv_read_digested(files->is[1], sg_accepted_take_counter,
                                                        file, &file->digest, err) != SG_SUCCESS ||
                                   sg_accepted_sort(file, files->is[1], err) != SG_SUCCESS))
        return err->code;
    sg_env_digest(&file->env, &file->digest);
    return SG_SUCCESS;
}

static enum sg_code check_env(const struct sg_env *env, const char *path, struct sg_err *err)
{
    const char *schema = sg_env_get(env, "schema");
    if (schema && strcmp(schema, SG_SCHEMA_ACCEPTED) != 0)
        return sg_fail_at(
            err, SG_NOT_COMPARABLE, path, sg_env_line(env, "schema"),
            "expected the schema " SG_SCHEMA_ACCEPTED
            ", found '%s': written by another version of solgate; accept the runs again",
            sg_show_string(schema).text);
    return sg_env_check(env, path, SG_SCHEMA_ACCEPTED, err);
}

enum sg_code sg_accepted_file_read(const char *path, struct sg_accepted_file *file,
                                   struct sg_err *err)
{
    struct files files;
    struct sg_err no_env = {0};
    *file = (struct sg_accepted_file){.path = sg_copy_string(path)};
    if (name_files(path, &files, err) != SG_SUCCESS)
        return err->code;
    file->counters_path = sg_copy_string(files.counters.data);
    sg_env_read(files.env.data, &file->env, &no_env);
    find_waiting(&files, &file->env);
    /* The schema is checked first, since the lines of the tables depend on it. If both files are
     * damaged, the error in the table is reported, since the table is the file that was edited. */
    if ((no_env.code != SG_SUCCESS || check_env(&file->env, files.env.data, err) == SG_SUCCESS) &&
        read_tables(&files, file, err) == SG_SUCCESS && no_env.code != SG_SUCCESS)
        *err = no_env;
    release_files(&files);
    return err->code;
}

#define SEAL_HINT "; if that is intended: solgate accepted seal %s --reason=TEXT"

enum sg_code sg_accepted_file_check_seal(const struct sg_accepted_file *file, struct sg_err *err)
{
    const char *expected = sg_env_get(&file->env, SG_DIGEST_KEY),
               *items = sg_env_get(&file->env, SG_ACCEPTED_ITEMS_KEY);
    const size_t count = sg_accepted_file_count_items(&file->table);
    uint64_t wanted = 0;
    if (!expected)
        return sg_fail(err, SG_NOT_COMPARABLE, file->path,
                       "it has no digest, so changes cannot be detected" SEAL_HINT, file->path);
    if (!has_digest(&file->env, &file->digest))
        return sg_fail(err, SG_NOT_COMPARABLE, file->path,
                       "the file, its counters or its env file was changed since it was accepted "
                       "(expected the digest %s, found %s)" SEAL_HINT,
                       sg_show_string(expected).text, sg_digest_word(&file->digest).text,
                       file->path);
    if (!items || !sg_parse_u64(items, &wanted) || wanted != count || count == 0)
        return sg_fail(err, SG_NOT_COMPARABLE, file->path,
                       SG_ACCEPTED_ITEMS_KEY ": expected %s items, found %zu" SEAL_HINT,
                       items ? sg_show_string(items).text : "the number of", count, file->path);
    return SG_SUCCESS;
}

/* ---- writing ---- */

/* Completes an earlier write that was interrupted after its env: renames the .next tables before
 * new ones overwrite them. */
static void finish_earlier(struct files *files)
{
    SG_SCOPED(sg_env) env = {0};
    struct sg_err none = {0};
    if (sg_env_read(files->env.data, &env, &none) == SG_SUCCESS)
        find_waiting(files, &env);
    for (size_t i = 0; i < 2; i++)
        if (files->is[i] == files->next[i].data)
            rename(files->is[i], i == 0 ? files->table.data : files->counters.data);
}

static void seal(struct sg_accepted_file *file, const struct sg_text *judged,
                 const struct sg_text *counters)
{
    SG_SCOPED(sg_text) items = {0};
    sg_text_addf(&items, "%zu", sg_accepted_file_count_items(&file->table));
    sg_env_set(&file->env, "schema", SG_SCHEMA_ACCEPTED);
    sg_env_set(&file->env, SG_ACCEPTED_ITEMS_KEY, items.data);
    file->digest = SG_DIGEST_EMPTY;
    sg_digest_add(&file->digest, judged->data, judged->length);
    sg_digest_add(&file->digest, counters->data, counters->length);
    sg_env_digest(&file->env, &file->digest);
    sg_env_set(&file->env, SG_DIGEST_KEY, sg_digest_word(&file->digest).text);
}

enum sg_code sg_accepted_file_write(const char *path, struct sg_accepted_file *file,
                                    struct sg_err *err)
{
    struct files files;
    SG_SCOPED(sg_text) judged = {0}, counters = {0};
    if (name_files(path, &files, err) != SG_SUCCESS)
        return err->code;
    sg_accepted_format(file, &judged, &counters);
    seal(file, &judged, &counters);
    finish_earlier(&files);
    if (sg_check_place(files.table.data, err) == SG_SUCCESS &&
        sg_check_place(files.counters.data, err) == SG_SUCCESS &&
        sg_write_file(files.next[0].data, judged.data, judged.length, err) == SG_SUCCESS &&
        sg_write_file(files.next[1].data, counters.data, counters.length, err) == SG_SUCCESS &&
        sg_env_write(files.env.data, &file->env, err) == SG_SUCCESS &&
        sg_move_file(files.next[0].data, files.table.data, err) == SG_SUCCESS)
        sg_move_file(files.next[1].data, files.counters.data, err);
    release_files(&files);
    return err->code;
}

void sg_accepted_file_release(struct sg_accepted_file *file)
{
    sg_table_release(&file->table);
    free(file->accepted);
    sg_env_release(&file->env);
    sg_env_release(&file->model_env);
    free(file->path);
    free(file->counters_path);
    free(file->model_path);
    *file = (struct sg_accepted_file){0};
}

/* ---- items, and numbers of a model ---- */

static bool begins_item(const struct sg_table *table, size_t row)
{
    return row == 0 || !sg_row_same_item(&table->rows[row - 1], &table->rows[row]);
}

size_t sg_accepted_file_count_items(const struct sg_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += begins_item(table, i);
    return count;
}

static bool has_whole_plan(const struct sg_env *env)
{
    const char *plan = sg_env_get(env, SG_ACCEPTED_PLAN_KEY);
    return plan && strcmp(plan, SG_PLAN_WHOLE) == 0;
}

bool sg_accepted_file_is_whole(const struct sg_accepted_file *file)
{
    return has_whole_plan(&file->env) || has_whole_plan(&file->model_env);
}

static bool has_item(const struct sg_table *table, const struct sg_value *value)
{
    return sg_table_find(table, value->family, value->case_, value->variant, "role") ||
           sg_table_find(table, value->family, value->case_, value->variant, "status");
}

bool sg_accepted_file_lacks_items(const struct sg_accepted_file *file,
                                  const struct sg_accepted_file *model)
{
    for (size_t i = 0; i < model->table.count; i++) {
        const struct sg_value value = sg_value_of(&model->table, &model->table.rows[i]);
        if (begins_item(&model->table, i) && !has_item(&file->table, &value))
            return true;
    }
    return false;
}

/* True if `own` has the row, or, for a waiver, the item that the waiver names. A waiver in the
 * model's numbers does not apply to a GPU's own numbers. */
static bool is_own(const struct sg_table *own, const struct sg_table *model,
                   const struct sg_row *row)
{
    const struct sg_value value = sg_value_of(model, row);
    if (strcmp(value.metric, SG_WAIVER_METRIC) == 0)
        return has_item(own, &value);
    return sg_table_find(own, value.family, value.case_, value.variant, value.metric) != NULL;
}

void sg_accepted_file_add_model(struct sg_accepted_file *file, struct sg_accepted_file *model)
{
    struct sg_err none = {0};
    SG_FREED bool *own = sg_alloc(model->table.count, sizeof(*own));
    for (size_t i = 0; i < model->table.count; i++)
        own[i] = is_own(&file->table, &model->table, &model->table.rows[i]);
    file->needs_model = sg_accepted_file_lacks_items(file, model);
    for (size_t i = 0; i < model->table.count; i++)
        if (!own[i])
            sg_accepted_add_copy(file, model, i)->of_model = true;
    sg_accepted_sort(file, NULL, &none);
    file->model_env = model->env;
    file->model_path = model->path;
    model->env = (struct sg_env){0};
    model->path = NULL;
    sg_accepted_file_release(model);
}

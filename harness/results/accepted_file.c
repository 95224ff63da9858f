#include "results/accepted_file.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/row_kind.h"
#include "util/csv_reader.h"
#include "util/file.h"

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
    accepted->origin =
        sg_table_intern(&file->table, sg_table_string(&from->table, accepted->origin));
    return accepted;
}

enum sg_code sg_accepted_sort(struct sg_accepted_file *file, const char *path, struct sg_err *err)
{
    const struct sg_sort_context beside = {
        .elements = file->accepted, .size = sizeof(*file->accepted), .path = path};
    return sg_table_sort_with(&file->table, &beside, err);
}

/* ---- the file ---- */

struct sg_accepted_file *sg_accepted_suite_find(const struct sg_accepted_suite *suite,
                                                const char *gpu)
{
    return SG_FIND(suite->items, suite->count, gpu, gpu);
}

struct sg_accepted_file *sg_accepted_suite_of(struct sg_accepted_suite *suite, const char *gpu)
{
    struct sg_accepted_file *file = sg_accepted_suite_find(suite, gpu);
    if (file)
        return file;
    file = SG_APPEND(suite->items, suite->count, suite->capacity);
    *file = (struct sg_accepted_file){.path = sg_copy_string(suite->path ? suite->path : ""),
                                      .gpu = sg_copy_string(gpu)};
    return file;
}

/* Indices of columns. A row without a family is a fact: `metric` is its key, `message` its value.
 */
enum { GPU, RUN, FAMILY = RUN, METRIC = RUN + 3, MESSAGE = RUN + SG_VALUE_FIELDS - 1, JUDGED };
#define FACT_BEFORE ",,,,%s,,,,,,," /* the key, and the commas up to the value */
#define FACT_AFTER  ",,,,,,,,,,,\n"

/* ---- the columns that follow those of a run ---- */

static bool is_expected(const char *word)
{
    return !*word || strcmp(word, "regressed") == 0 || sg_status_from_word(word) != SG_STATUS_COUNT;
}

/* "9:GPU+GPU" or nothing */
static bool is_origin(const char *word)
{
    const size_t runs = strspn(word, "0123456789");
    const char *units = word + runs + 1;
    return !*word || (runs > 0 && *word != '0' && word[runs] == ':' && *units &&
                      units[strspn(units, "abcdefghijklmnopqrstuvwxyz0123456789_+")] == '\0');
}

#define FIELD(type, title, member, ...) \
    SG_FIELD(type, title, struct sg_accepted, member, __VA_ARGS__)
#define SPREAD(title, member) \
    FIELD(REAL, title, member, .expected = "a standard deviation, 0 or more")
static const struct sg_field judged_columns[] = {
    FIELD(REAL, "tolerance", tolerance, .least = DBL_MIN, .most = 1.0 - DBL_EPSILON,
          .expected = "a ratio above 0 and below 1"),
    FIELD(YES, "gate", gate),
    FIELD(REAL, "beta", beta, .most = 1, .expected = "a clock sensitivity from 0 to 1"),
    FIELD(REAL, "f0", f0, .expected = "a clock in Hz, 0 or more"),
    SPREAD("sd_process", sd_process),
    SPREAD("sd_day", sd_day),
    FIELD(ID, "expect", expect, .is = is_expected,
          .expected = "nothing, a status word or regressed"),
    FIELD(ID, "reason", reason),
    FIELD(ID, "origin", origin, .is = is_origin,
          .expected = "nothing, or runs and GPUs such as 2:a1+b2"),
};
static const struct sg_record judged_record = SG_RECORD(judged_columns);

static struct sg_record run_columns(void)
{
    return sg_record_part(&sg_value_record, 0, SG_VALUE_FIELDS);
}

static struct sg_record error_columns(void)
{
    return sg_record_part(&sg_value_record, SG_VALUE_FIELDS, sg_value_record.count);
}

static void add_header(struct sg_text *out)
{
    const struct sg_record first = run_columns(), last = error_columns();
    sg_text_add(out, "gpu,");
    sg_record_add_header(out, &first);
    sg_text_add(out, ",");
    sg_record_add_header(out, &judged_record);
    sg_text_add(out, ",");
    sg_record_add_header(out, &last);
}

/* ---- reading lines ---- */

static enum sg_code check_gate(const struct sg_accepted *accepted, const char *metric,
                               struct sg_err *err)
{
    return accepted->gate && sg_row_use_of(metric).kind == SG_ROW_FACT
               ? sg_field_fail("gate", "no, because the row is descriptive and not judged,", "yes",
                               err)
               : SG_SUCCESS;
}

/* A waiver without a last day would never expire. */
static enum sg_code check_waiver(const char *const *field, const char *reason, struct sg_err *err)
{
    time_t day = 0;
    if (strcmp(field[METRIC], SG_WAIVER_METRIC) != 0)
        return SG_SUCCESS;
    if (!sg_parse_day(field[MESSAGE], &day))
        return sg_field_fail("message of a waiver", "its last day, such as 2026-12-31",
                             field[MESSAGE], err);
    return sg_is_blank(reason)
               ? sg_field_fail("reason of a waiver", "why the item may fail", reason, err)
               : SG_SUCCESS;
}

static enum sg_code take_row(struct sg_accepted_file *file, const struct sg_csv_row *line,
                             struct sg_err *err)
{
    const char *const *field = line->field;
    struct sg_table *table = &file->table;
    if (sg_table_add_fields(table, &field[RUN], &field[JUDGED + judged_record.count], err) !=
        SG_SUCCESS)
        return err->code;
    table->rows[table->count - 1].line = (uint32_t)line->line;
    struct sg_accepted *accepted = sg_accepted_add(file);
    if (sg_record_read(&judged_record, &field[JUDGED], accepted, &table->pool, err) == SG_SUCCESS &&
        check_gate(accepted, field[METRIC], err) == SG_SUCCESS)
        check_waiver(field, sg_table_string(table, accepted->reason), err);
    return err->code;
}

static enum sg_code check_header(const struct sg_csv_row *line, struct sg_err *err)
{
    SG_SCOPED(sg_text) header = {0};
    add_header(&header);
    if (strcmp(line->field[GPU], "family") == 0)
        return sg_fail_at(err, SG_NOT_COMPARABLE, line->path, line->line,
                          "expected the column 'gpu', found 'family': scripts/convert.py converts "
                          "accepted numbers of earlier versions");
    return sg_csv_check_header(line, header.data, err);
}

static bool is_digest(const struct sg_csv_row *line)
{
    return !*line->field[GPU] && strcmp(line->field[METRIC], SG_DIGEST_KEY) == 0;
}

static enum sg_code take_line(void *context, const struct sg_csv_row *line, struct sg_err *err)
{
    struct sg_accepted_suite *suite = context;
    const char *const *field = line->field;
    SG_SCOPED(sg_text) text = {0};
    if (line->line == 1 && check_header(line, err) != SG_SUCCESS)
        return err->code;
    if (is_digest(line)) {
        free(suite->sealed);
        suite->sealed = sg_copy_string(field[MESSAGE]);
        return SG_SUCCESS;
    }
    sg_csv_add_fields(&text, field, line->count);
    sg_text_add(&text, "\n");
    sg_digest_add(&suite->digest, text.data, text.length);
    if (line->line == 1)
        return SG_SUCCESS;
    if (!sg_is_name(field[GPU]))
        sg_field_fail("gpu", SG_NAME, field[GPU], err);
    else if (!*field[FAMILY])
        sg_env_take(&sg_accepted_suite_of(suite, field[GPU])->env, field[METRIC], field[MESSAGE],
                    line->line, err);
    else
        take_row(sg_accepted_suite_of(suite, field[GPU]), line, err);
    return sg_fail_here(err, line->path, line->line);
}

/* ---- writing lines ---- */

static bool is_counter(const struct sg_table *table, const struct sg_row *row)
{
    const struct sg_row_use use = sg_row_use_of(sg_table_string(table, row->metric));
    return use.kind == SG_ROW_COUNTER || (use.is_term && (row->has & SG_HAS_VALUE));
}

static void format_row(struct sg_text *out, const struct sg_accepted_file *file, size_t index)
{
    const struct sg_record first = run_columns(), last = error_columns();
    const struct sg_table *table = &file->table;
    struct sg_value value = sg_value_of(table, &table->rows[index]);
    struct sg_accepted accepted = file->accepted[index];
    if (is_counter(table, &table->rows[index])) {
        /* The message of a counter with a value only says how one run counted, so it is omitted. */
        value.message = value.status == SG_OK ? "" : value.message;
        accepted.sd_day = sg_round_digits(accepted.sd_day, 3);
    }
    sg_text_addf(out, "%s,", file->gpu);
    sg_record_add(out, &first, &value, NULL);
    sg_text_add(out, ",");
    sg_record_add(out, &judged_record, &accepted, table->pool);
    sg_text_add(out, ",");
    sg_record_add(out, &last, &value, NULL);
    sg_text_add(out, "\n");
}

static void format_fact(struct sg_text *out, const char *gpu, const char *key, const char *value)
{
    sg_text_add(out, gpu);
    sg_text_addf(out, FACT_BEFORE, key);
    sg_csv_add_field(out, value);
    sg_text_add(out, FACT_AFTER);
}

static void format_suite(const struct sg_accepted_suite *suite, struct sg_text *out)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    add_header(out);
    sg_text_add(out, "\n");
    for (size_t i = 0; i < suite->count; i++) {
        const struct sg_accepted_file *file = &suite->items[i];
        for (size_t k = 0; k < file->env.count; k++)
            format_fact(out, file->gpu, file->env.key[k], file->env.value[k]);
        for (size_t k = 0; k < file->table.count; k++)
            format_row(out, file, k);
    }
    sg_digest_add(&digest, out->data, out->length);
    format_fact(out, "", SG_DIGEST_KEY, sg_digest_word(&digest).text);
}

/* ---- reading, the seal, writing ---- */

static enum sg_code check_numbers(struct sg_accepted_file *file, const char *path,
                                  struct sg_err *err)
{
    const char *schema = sg_env_get(&file->env, "schema");
    file->env.path = sg_copy_string(path);
    if (schema && strcmp(schema, SG_SCHEMA_ACCEPTED) != 0)
        return sg_fail_at(err, SG_NOT_COMPARABLE, path, sg_env_line(&file->env, "schema"),
                          "expected the schema " SG_SCHEMA_ACCEPTED
                          ", found '%s': written by another version of solgate; accept the runs "
                          "again",
                          sg_show_string(schema).text);
    return sg_env_check(&file->env, path, SG_SCHEMA_ACCEPTED, err) == SG_SUCCESS
               ? sg_accepted_sort(file, path, err)
               : err->code;
}

enum sg_code sg_accepted_suite_read(const char *path, struct sg_accepted_suite *suite,
                                    struct sg_err *err)
{
    *suite = (struct sg_accepted_suite){.path = sg_copy_string(path), .digest = SG_DIGEST_EMPTY};
    sg_csv_read(path, take_line, suite, err);
    for (size_t i = 0; i < suite->count && err->code == SG_SUCCESS; i++)
        check_numbers(&suite->items[i], path, err);
    return err->code;
}

#define SEAL_HINT "; if that is intended: solgate accepted seal %s --reason=TEXT"

enum sg_code sg_accepted_suite_check_seal(const struct sg_accepted_suite *suite, struct sg_err *err)
{
    const struct sg_digest_word found = sg_digest_word(&suite->digest);
    if (!suite->sealed)
        return sg_fail(err, SG_NOT_COMPARABLE, suite->path,
                       "it has no digest, so changes cannot be detected" SEAL_HINT, suite->path);
    if (strcmp(suite->sealed, found.text) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, suite->path,
                       "it was changed since it was accepted (expected the digest %s, found "
                       "%s)" SEAL_HINT,
                       sg_show_string(suite->sealed).text, found.text, suite->path);
    if (suite->count == 0)
        return sg_fail(err, SG_NOT_COMPARABLE, suite->path,
                       "expected accepted numbers, found none");
    for (size_t i = 0; i < suite->count; i++) {
        const char *items = sg_env_get(&suite->items[i].env, SG_ACCEPTED_ITEMS_KEY);
        const size_t count = sg_accepted_file_count_items(&suite->items[i].table);
        uint64_t wanted = 0;
        if (!items || !sg_parse_u64(items, &wanted) || wanted != count || count == 0)
            return sg_fail(err, SG_NOT_COMPARABLE, suite->path,
                           "%s: " SG_ACCEPTED_ITEMS_KEY ": expected %s items, found %zu" SEAL_HINT,
                           suite->items[i].gpu,
                           items ? sg_show_string(items).text : "the number of", count,
                           suite->path);
    }
    return SG_SUCCESS;
}

static int by_gpu(const void *left, const void *right)
{
    const struct sg_accepted_file *a = left, *b = right;
    return strcmp(a->gpu, b->gpu);
}

enum sg_code sg_accepted_suite_write(const char *path, struct sg_accepted_suite *suite,
                                     struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    if (suite->count > 0)
        qsort(suite->items, suite->count, sizeof(*suite->items), by_gpu);
    for (size_t i = 0; i < suite->count; i++) {
        sg_env_set(&suite->items[i].env, "schema", SG_SCHEMA_ACCEPTED);
        sg_env_setf(&suite->items[i].env, SG_ACCEPTED_ITEMS_KEY, "%zu",
                    sg_accepted_file_count_items(&suite->items[i].table));
    }
    format_suite(suite, &text);
    return sg_write_file(path, text.data, text.length, err);
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
    return sg_table_find(table, SG_NAMES(*value), "role") ||
           sg_table_find(table, SG_NAMES(*value), "status");
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
    return sg_table_find(own, SG_NAMES(value), value.metric) != NULL;
}

void sg_accepted_file_add_model(struct sg_accepted_file *file, struct sg_accepted_file *model)
{
    file->needs_model = sg_accepted_file_lacks_items(file, model);
    SG_FREED bool *own = sg_alloc(model->table.count, sizeof(*own));
    for (size_t i = 0; i < model->table.count; i++)
        own[i] = is_own(&file->table, &model->table, &model->table.rows[i]);
    for (size_t i = 0; i < model->table.count; i++)
        if (!own[i])
            sg_accepted_add_copy(file, model, i)->of_model = true;
    sg_accepted_sort(file, NULL, SG_IGNORED);
    file->model_env = model->env;
    *model = (struct sg_accepted_file){0};
}

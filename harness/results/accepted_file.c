#include "results/accepted_file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/accepted_lines.h"
#include "results/env.h"
#include "results/row_kind.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"
#include "util/file.h"

enum { MESSAGE = SG_VALUE_FIELDS - 1 };

struct reader {
    struct sg_accepted_file *baseline;
    size_t capacity; /* of accepted */
    bool has_errors; /* columns se and sd */
};

/* An empty field is NaN; a number must lie in what the sentence says. */
struct range {
    const char *column, *expected;
    double low, high; /* included */
};

static enum sg_code parse_optional(const struct range *range, const char *field, double *out, struct sg_err *err)
{
    *out = NAN;
    if (field[0] == '\0' || sg_field_number(range->column, field, false, out, err) != SG_SUCCESS)
        return err->code;
    if (*out < range->low || *out > range->high)
        return sg_field_fail(range->column, range->expected, field, err);
    return SG_SUCCESS;
}

static enum sg_code parse_figures(const char *const *field, struct sg_accepted *accepted, struct sg_err *err)
{
    static const struct range tolerance = {"tolerance", "a ratio above 0 and below 1", DBL_MIN, 1.0 - DBL_EPSILON};
    static const struct range beta = {"beta", "a clock sensitivity from 0 to 1", 0, 1};
    static const struct range f0 = {"f0", "a clock in Hz, 0 or more", 0, HUGE_VAL};
    static const struct range sd_process = {"sd_process", "a standard deviation, 0 or more", 0, HUGE_VAL};
    static const struct range sd_day = {"sd_day", "a standard deviation, 0 or more", 0, HUGE_VAL};
    if (parse_optional(&tolerance, field[SG_ACCEPTED_TOLERANCE], &accepted->tolerance, err) != SG_SUCCESS ||
        parse_optional(&beta, field[SG_ACCEPTED_BETA], &accepted->beta, err) != SG_SUCCESS ||
        parse_optional(&f0, field[SG_ACCEPTED_F0], &accepted->f0, err) != SG_SUCCESS ||
        parse_optional(&sd_process, field[SG_ACCEPTED_SD_PROCESS], &accepted->sd_process, err) != SG_SUCCESS ||
        parse_optional(&sd_day, field[SG_ACCEPTED_SD_DAY], &accepted->sd_day, err) != SG_SUCCESS)
        return err->code;
    accepted->gate = strcmp(field[SG_ACCEPTED_GATE], "yes") == 0;
    if (!accepted->gate && strcmp(field[SG_ACCEPTED_GATE], "no") != 0)
        return sg_field_fail("gate", "yes or no", field[SG_ACCEPTED_GATE], err);
    const char *expect = field[SG_ACCEPTED_EXPECT];
    if (expect[0] != '\0' && strcmp(expect, "regressed") != 0 && sg_status_from_word(expect) == SG_STATUS_COUNT)
        return sg_field_fail("expect", "nothing, a status word or regressed", expect, err);
    return SG_SUCCESS;
}

/* A waiver with an unreadable last day would never expire. */
static enum sg_code check_waiver(const char *const *field, struct sg_err *err)
{
    time_t day = 0;
    if (*field[MESSAGE] && !sg_parse_day(field[MESSAGE], &day))
        return sg_field_fail("message of a waiver", "its last day, such as 2026-12-31, or nothing", field[MESSAGE], err);
    const char *reason = field[SG_ACCEPTED_REASON];
    return sg_is_blank(reason) ? sg_field_fail("reason of a waiver", "why the item may be other than green", reason, err) : SG_SUCCESS;
}

static enum sg_code add_row(void *context, const char *const field[SG_ACCEPTED_FIELDS], struct sg_err *err)
{
    struct reader *reader = context;
    struct sg_accepted_file *b = reader->baseline;
    const size_t index = b->table.count;
    const char *metric = field[SG_ACCEPTED_METRIC];
    struct sg_accepted fresh = {0};
    if (index > 0)
        fresh = b->accepted[index - 1];
    if (sg_table_add_fields(&b->table, field, reader->has_errors ? &field[SG_ACCEPTED_SE] : NULL, err) != SG_SUCCESS ||
        parse_figures(field, &fresh, err) != SG_SUCCESS)
        return err->code;
    if (fresh.gate && sg_row_use_of(metric).kind == SG_ROW_FACT)
        return sg_field_fail("gate", "no, for the row describes and is not judged,", field[SG_ACCEPTED_GATE], err);
    if (strcmp(metric, SG_WAIVER_METRIC) == 0 && check_waiver(field, err) != SG_SUCCESS)
        return err->code;
    fresh.expect = sg_intern_like(&b->table.pool, fresh.expect, field[SG_ACCEPTED_EXPECT]);
    fresh.reason = sg_intern_like(&b->table.pool, fresh.reason, field[SG_ACCEPTED_REASON]);
    b->accepted = sg_grow(b->accepted, &reader->capacity, index + 1, sizeof(*b->accepted));
    b->accepted[index] = fresh;
    return SG_SUCCESS;
}

static enum sg_code on_line(void *context, const struct sg_csv_row *line, struct sg_err *err)
{
    struct reader *reader = context;
    if (line->line == 1) {
        reader->has_errors = line->count > SG_ACCEPTED_SE;
        return sg_csv_check_header(line, line->count == SG_ACCEPTED_SE ? SG_BASELINE_HEADER_1 : SG_BASELINE_HEADER, err);
    }
    sg_accepted_lines_expand(line, add_row, reader, err);
    return sg_fail_here(err, line->path, line->line);
}

/* "<suite>.csv" -> "<suite>.env.csv" */
static enum sg_code env_path(const char *path, struct sg_text *out, struct sg_err *err)
{
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".csv") != 0)
        return sg_fail(err, SG_BAD_INPUT, path, "expected a baseline, whose name ends in .csv");
    sg_text_add_bytes(out, path, length - 4);
    sg_text_add(out, ".env.csv");
    return SG_SUCCESS;
}

/*
 * Writing two files at once: the new table is put beside the old one, then the new env takes the
 * place of the old one, which is the moment that counts, then the table. So a table that is not
 * what env.csv has the digest of may still wait under this name.
 */
#define NEXT ".next"

static bool is_sealed(const struct sg_accepted_file *baseline)
{
    const char *expected = sg_env_get(&baseline->env, SG_DIGEST_KEY);
    return expected && strcmp(expected, sg_digest_word(&baseline->digest).text) == 0;
}

/* The table at `path`, which stands for that of baseline->path; its
 * rows and digest into *baseline. */
static enum sg_code read_table(const char *path, struct sg_accepted_file *baseline, struct sg_err *err)
{
    struct reader reader = {.baseline = baseline};
    baseline->digest = SG_DIGEST_EMPTY;
    if (sg_csv_read_digested(path, on_line, &reader, &baseline->digest, err) != SG_SUCCESS)
        return err->code;
    sg_env_digest(&baseline->env, &baseline->digest);
    const struct sg_beside beside = {.elements = baseline->accepted, .size = sizeof(*baseline->accepted), .path = path};
    return sg_table_sort_with(&baseline->table, &beside, err);
}

static void forget_table(struct sg_accepted_file *baseline)
{
    sg_table_release(&baseline->table);
    free(baseline->accepted);
    baseline->accepted = NULL;
}

/* The table whose digest env.csv has may wait to be put in its place. */
static void read_next(struct sg_accepted_file *baseline, struct sg_err *err)
{
    struct sg_text next = {0};
    struct sg_err none = {0};
    struct sg_accepted_file waiting = {.env = baseline->env};
    sg_text_addf(&next, "%s" NEXT, baseline->path);
    if (access(next.data, F_OK) == 0 && read_table(next.data, &waiting, &none) == SG_SUCCESS && is_sealed(&waiting)) {
        forget_table(baseline);
        baseline->table = waiting.table;
        baseline->accepted = waiting.accepted;
        baseline->digest = waiting.digest;
        *err = none;
    } else {
        forget_table(&waiting);
    }
    sg_text_release(&next);
}

struct sg_shown sg_waiver_last_day(const struct sg_env *env)
{
    const char *date = sg_env_get(env, "date");
    struct sg_shown last = {0};
    time_t day = 0;
    struct tm utc;
    char *first = sg_copy_string(date ? date : "");
    first[strnlen(first, strlen("2026-12-31"))] = '\0';
    if (!sg_parse_day(first, &day))
        day = 0; /* long past */
    free(first);
    day += (time_t)SG_WAIVER_DAYS * 24 * 60 * 60;
    strftime(last.text, sizeof(last.text), "%Y-%m-%d", gmtime_r(&day, &utc));
    return last;
}

/* Files that were accepted before each waiver had a last day. */
static void end_waivers(struct sg_accepted_file *baseline)
{
    const sg_id waiver = sg_table_find_id(&baseline->table, SG_WAIVER_METRIC);
    for (size_t i = 0; i < baseline->table.count; i++) {
        struct sg_row *row = &baseline->table.rows[i];
        if (row->metric == waiver && row->message == 0)
            row->message = sg_table_intern(&baseline->table, sg_waiver_last_day(&baseline->env).text);
    }
}

bool sg_accepted_file_is_there(const char *path)
{
    struct sg_text env = {0};
    struct sg_err none = {0};
    const bool there = access(path, F_OK) == 0 || (env_path(path, &env, &none) == SG_SUCCESS && access(sg_text_string(&env), F_OK) == 0);
    sg_text_release(&env);
    return there;
}

enum sg_code sg_accepted_file_read(const char *path, struct sg_accepted_file *baseline, struct sg_err *err)
{
    struct sg_text env = {0};
    struct sg_err failed = {0};
    *baseline = (struct sg_accepted_file){.path = sg_copy_string(path)};
    if (env_path(path, &env, err) != SG_SUCCESS)
        goto out;
    struct sg_err no_env = {0};
    sg_env_read(env.data, &baseline->env, &no_env);
    if (read_table(path, baseline, &failed) != SG_SUCCESS || !is_sealed(baseline))
        read_next(baseline, &failed);
    /* The table first: of two files that are damaged it is the one that was edited. */
    if (failed.code != SG_SUCCESS)
        *err = failed;
    else if (no_env.code != SG_SUCCESS)
        *err = no_env;
    else if (sg_env_check(&baseline->env, env.data, SG_SCHEMA_ACCEPTED, err) == SG_SUCCESS)
        end_waivers(baseline);
out:
    sg_text_release(&env);
    return err->code;
}

enum sg_code sg_accepted_file_check_seal(const struct sg_accepted_file *baseline, struct sg_err *err)
{
    const char *expected = sg_env_get(&baseline->env, SG_DIGEST_KEY), *items = sg_env_get(&baseline->env, SG_ACCEPTED_ITEMS_KEY);
    const size_t count = sg_accepted_file_count_items(&baseline->table);
    uint64_t wanted = 0;
    if (!is_sealed(baseline))
        return sg_fail(err, SG_NOT_COMPARABLE, baseline->path,
                       "%s (expected the digest %s, found %s); if that is meant: solgate baseline seal %s --reason=TEXT",
                       expected ? "it or its env file was changed since it was accepted"
                                : "it has no digest, so nothing shows whether it is whole",
                       expected ? sg_show(expected, strlen(expected)).text : "of an accepted file", sg_digest_word(&baseline->digest).text,
                       baseline->path);
    if (!items || !sg_parse_u64(items, &wanted) || wanted != count || count == 0)
        return sg_fail(err, SG_NOT_COMPARABLE, baseline->path,
                       SG_ACCEPTED_ITEMS_KEY ": expected %s items, found %zu; if that is meant: solgate baseline seal %s --reason=TEXT",
                       items ? sg_show(items, strlen(items)).text : "the number of", count, baseline->path);
    return SG_SUCCESS;
}

/* Is the table at `table` the one that env.csv vouches for? */
static bool vouches_for(const struct sg_env *env, const char *table)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    struct sg_err none = {0};
    const char *expected = sg_env_get(env, SG_DIGEST_KEY);
    if (!expected || sg_digest_add_text_file(&digest, table, &none) != SG_SUCCESS)
        return false;
    sg_env_digest(env, &digest);
    return strcmp(expected, sg_digest_word(&digest).text) == 0;
}

/* Of a writing that was cut short behind its env: puts the table that waits in its place,
 * before another one takes its name. */
static void finish_earlier(const char *path, const char *env_file, const char *next)
{
    struct sg_env env = {0};
    struct sg_err none = {0};
    if (access(next, F_OK) == 0 && sg_env_read(env_file, &env, &none) == SG_SUCCESS && !vouches_for(&env, path) && vouches_for(&env, next))
        rename(next, path);
    sg_env_release(&env);
}

enum sg_code sg_accepted_file_write(const char *path, struct sg_accepted_file *baseline, const struct sg_catalogue *catalogue,
                                    struct sg_err *err)
{
    struct sg_text text = {0}, env = {0}, next = {0}, items = {0};
    if (env_path(path, &env, err) != SG_SUCCESS)
        goto out;
    sg_accepted_lines_format(&text, baseline, catalogue);
    sg_env_set(&baseline->env, "schema", SG_SCHEMA_ACCEPTED);
    sg_text_addf(&items, "%zu", sg_accepted_file_count_items(&baseline->table));
    sg_env_set(&baseline->env, SG_ACCEPTED_ITEMS_KEY, items.data);
    baseline->digest = SG_DIGEST_EMPTY;
    sg_digest_add(&baseline->digest, text.data, text.length);
    sg_env_digest(&baseline->env, &baseline->digest);
    sg_env_set(&baseline->env, SG_DIGEST_KEY, sg_digest_word(&baseline->digest).text);
    sg_text_addf(&next, "%s" NEXT, path);
    finish_earlier(path, env.data, next.data);
    if (sg_check_place(path, err) == SG_SUCCESS && sg_write_file(next.data, text.data, text.length, err) == SG_SUCCESS &&
        sg_env_write(env.data, &baseline->env, err) == SG_SUCCESS)
        sg_move_file(next.data, path, err);
out:
    sg_text_release(&text);
    sg_text_release(&env);
    sg_text_release(&next);
    sg_text_release(&items);
    return err->code;
}

static bool is_other_item(const struct sg_row *a, const struct sg_row *b)
{
    return a->variant != b->variant || a->case_ != b->case_ || a->family != b->family;
}

size_t sg_accepted_file_count_items(const struct sg_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += i == 0 || is_other_item(&table->rows[i - 1], &table->rows[i]);
    return count;
}

bool sg_accepted_file_is_whole(const struct sg_accepted_file *baseline)
{
    const char *plan = sg_env_get(&baseline->env, SG_ACCEPTED_PLAN_KEY);
    const char *of_model = sg_env_get(&baseline->model_env, SG_ACCEPTED_PLAN_KEY);
    return (plan && strcmp(plan, SG_PLAN_WHOLE) == 0) || (of_model && strcmp(of_model, SG_PLAN_WHOLE) == 0);
}

static bool has_item(const struct sg_table *table, const struct sg_value *value)
{
    return sg_table_find(table, value->family, value->case_, value->variant, "role") ||
           sg_table_find(table, value->family, value->case_, value->variant, "status");
}

bool sg_accepted_file_lacks_items(const struct sg_accepted_file *baseline, const struct sg_accepted_file *model)
{
    const struct sg_table *table = &baseline->table, *of_model = &model->table;
    for (size_t i = 0; i < of_model->count; i++) {
        const struct sg_value value = sg_value_of(of_model, &of_model->rows[i]);
        if ((i == 0 || is_other_item(&of_model->rows[i - 1], &of_model->rows[i])) && !has_item(table, &value))
            return true;
    }
    return false;
}

/* Is the row, or, of a waiver, the item that it is about, among the GPU's own? What is waived of
 * the model's numbers is not of others. */
static bool is_own(const struct sg_table *own, const struct sg_value *value)
{
    if (strcmp(value->metric, SG_WAIVER_METRIC) == 0)
        return has_item(own, value);
    return sg_table_find(own, value->family, value->case_, value->variant, value->metric) != NULL;
}

void sg_accepted_file_add_model(struct sg_accepted_file *baseline, struct sg_accepted_file *model)
{
    size_t capacity = baseline->table.count;
    const size_t own = baseline->table.count;
    struct sg_err twice = {0};
    baseline->needs_model = sg_accepted_file_lacks_items(baseline, model);
    baseline->model_env = model->env;
    baseline->model_path = model->path;
    model->env = (struct sg_env){0};
    model->path = NULL;
    /* Searched among the GPU's own rows alone, which stay sorted in front. */
    for (size_t i = 0; i < model->table.count; i++) {
        const struct sg_value value = sg_value_of(&model->table, &model->table.rows[i]);
        const size_t all = baseline->table.count;
        baseline->table.count = own;
        const bool has = is_own(&baseline->table, &value);
        baseline->table.count = all;
        if (has)
            continue;
        sg_table_add(&baseline->table, &value);
        baseline->accepted = sg_grow(baseline->accepted, &capacity, baseline->table.count, sizeof(*baseline->accepted));
        struct sg_accepted *accepted = &baseline->accepted[baseline->table.count - 1];
        *accepted = model->accepted[i];
        accepted->of_model = true;
        accepted->expect = sg_table_intern(&baseline->table, sg_table_string(&model->table, model->accepted[i].expect));
        accepted->reason = sg_table_intern(&baseline->table, sg_table_string(&model->table, model->accepted[i].reason));
    }
    sg_table_sort_with(&baseline->table, &(struct sg_beside){.elements = baseline->accepted, .size = sizeof(*baseline->accepted)}, &twice);
    sg_accepted_file_release(model);
}

void sg_accepted_file_release(struct sg_accepted_file *baseline)
{
    sg_table_release(&baseline->table);
    free(baseline->accepted);
    sg_env_release(&baseline->env);
    sg_env_release(&baseline->model_env);
    free(baseline->path);
    free(baseline->model_path);
    *baseline = (struct sg_accepted_file){0};
}

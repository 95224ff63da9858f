#include "baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "fields.h"
#include "file.h"

enum { TOLERANCE = SG_RUN_FIELDS, GATE, BETA, F0, SD_PROCESS, SD_DAY, EXPECT, REASON };

struct reader {
    struct sg_baseline *baseline;
    size_t capacity; /* of accepted */
};

/* An empty field is NaN; a number must lie in what the sentence says. */
struct range {
    const char *column, *expected;
    double low, high; /* included */
};

static enum sg_code parse_optional(const struct range *range, const char *field, double *out, struct sg_err *err)
{
    *out = NAN;
    if (field[0] == '\0' || sg_field_number(range->column, field, false, out, err) != SG_DONE)
        return err->code;
    if (*out < range->low || *out > range->high)
        return sg_field_fail(range->column, range->expected, field, err);
    return SG_DONE;
}

static enum sg_code parse_figures(const char *const *field, struct sg_accepted *accepted, struct sg_err *err)
{
    static const struct range tolerance = {"tolerance", "a ratio from 0 to 1", 0, 1};
    static const struct range beta = {"beta", "a clock sensitivity from 0 to 1", 0, 1};
    static const struct range f0 = {"f0", "a clock in Hz, 0 or more", 0, HUGE_VAL};
    static const struct range sd_process = {"sd_process", "a standard deviation, 0 or more", 0, HUGE_VAL};
    static const struct range sd_day = {"sd_day", "a standard deviation, 0 or more", 0, HUGE_VAL};
    if (parse_optional(&tolerance, field[TOLERANCE], &accepted->tolerance, err) != SG_DONE ||
        parse_optional(&beta, field[BETA], &accepted->beta, err) != SG_DONE ||
        parse_optional(&f0, field[F0], &accepted->f0, err) != SG_DONE ||
        parse_optional(&sd_process, field[SD_PROCESS], &accepted->sd_process, err) != SG_DONE ||
        parse_optional(&sd_day, field[SD_DAY], &accepted->sd_day, err) != SG_DONE)
        return err->code;
    accepted->gate = strcmp(field[GATE], "yes") == 0;
    if (!accepted->gate && strcmp(field[GATE], "no") != 0)
        return sg_field_fail("gate", "yes or no", field[GATE], err);
    const char *expect = field[EXPECT];
    if (expect[0] != '\0' && strcmp(expect, "regressed") != 0 && sg_status_from_word(expect) == SG_STATUS_COUNT)
        return sg_field_fail("expect", "nothing, a status word or regressed", expect, err);
    return SG_DONE;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct reader *reader = context;
    struct sg_baseline *b = reader->baseline;
    size_t index = b->table.count;
    struct sg_accepted fresh = {0};
    if (row->line == 1)
        return sg_csv_check_header(row, SG_BASELINE_HEADER, err);
    if (index > 0)
        fresh = b->accepted[index - 1];
    if (sg_table_add_fields(&b->table, row->field, err) != SG_DONE || parse_figures(row->field, &fresh, err) != SG_DONE)
        return sg_fail_here(err, row->path, row->line);
    fresh.expect = sg_pool_intern_like(&b->table.pool, fresh.expect, row->field[EXPECT]);
    fresh.reason = sg_pool_intern_like(&b->table.pool, fresh.reason, row->field[REASON]);
    b->accepted = sg_grow(b->accepted, &reader->capacity, index + 1, sizeof(*b->accepted));
    b->accepted[index] = fresh;
    return SG_DONE;
}

/* "<suite>.csv" -> "<suite>.env.csv" */
static enum sg_code env_path(const char *path, struct sg_text *out, struct sg_err *err)
{
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".csv") != 0)
        return sg_fail(err, SG_BAD_INPUT, path, "expected a baseline, whose name ends in .csv");
    sg_text_add_bytes(out, path, length - 4);
    sg_text_add(out, ".env.csv");
    return SG_DONE;
}

enum sg_code sg_baseline_read(const char *path, struct sg_baseline *baseline, struct sg_err *err)
{
    struct reader reader = {.baseline = baseline};
    struct sg_text env = {0};
    *baseline = (struct sg_baseline){.path = sg_copy_string(path)};
    if (env_path(path, &env, err) != SG_DONE || sg_csv_read(path, on_row, &reader, err) != SG_DONE)
        goto out;
    const struct sg_beside beside = {.elements = baseline->accepted, .size = sizeof(*baseline->accepted), .path = path};
    if (sg_table_sort_with(&baseline->table, &beside, err) == SG_DONE && sg_env_read(env.data, &baseline->env, err) == SG_DONE)
        sg_env_check(&baseline->env, env.data, err);
out:
    sg_text_release(&env);
    return err->code;
}

static void add_optional(struct sg_text *out, double value)
{
    if (!isnan(value))
        sg_text_add_number(out, value, 9);
    sg_text_add(out, ",");
}

static void format_row(struct sg_text *out, const struct sg_baseline *b, size_t index)
{
    const struct sg_accepted *a = &b->accepted[index];
    sg_row_format(out, &b->table, &b->table.rows[index]);
    out->length--; /* the line goes on */
    sg_text_add(out, ",");
    add_optional(out, a->tolerance);
    sg_text_add(out, a->gate ? "yes," : "no,");
    add_optional(out, a->beta);
    add_optional(out, a->f0);
    add_optional(out, a->sd_process);
    add_optional(out, a->sd_day);
    sg_csv_add_field(out, sg_table_string(&b->table, a->expect));
    sg_text_add(out, ",");
    sg_csv_add_field(out, sg_table_string(&b->table, a->reason));
    sg_text_add(out, "\n");
}

enum sg_code sg_baseline_write(const char *path, const struct sg_baseline *baseline, struct sg_err *err)
{
    struct sg_text text = {0}, env = {0};
    if (env_path(path, &env, err) != SG_DONE)
        goto out;
    sg_text_add(&text, SG_BASELINE_HEADER "\n");
    for (size_t i = 0; i < baseline->table.count; i++)
        format_row(&text, baseline, i);
    if (sg_write_file(path, text.data, text.length, err) == SG_DONE)
        sg_env_write(env.data, &baseline->env, err);
out:
    sg_text_release(&text);
    sg_text_release(&env);
    return err->code;
}

void sg_baseline_release(struct sg_baseline *baseline)
{
    sg_table_release(&baseline->table);
    free(baseline->accepted);
    sg_env_release(&baseline->env);
    free(baseline->path);
    *baseline = (struct sg_baseline){0};
}

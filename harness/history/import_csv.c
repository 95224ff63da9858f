/* Numbers of others: date,series,value,se. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history/history.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"

#define IMPORT_HEADER "date,series,value,se"

/* Strings are in the pool. */
struct import_row {
    const char *date, *name;
    long line;
    struct sg_night_row row;
};

struct import {
    const struct sg_import *options;
    struct sg_history history; /* of the nights that were added so far */
    struct import_row *rows;   /* owned */
    size_t count, capacity;
};

static const char *keep(struct import *in, const char *string)
{
    return sg_intern_pool_string(in->history.pool, sg_intern(&in->history.pool, string));
}

/* What a night can hold, so that what is added can be read again. */
static enum sg_code check_row(const struct sg_csv_row *row, bool is_ratio, double *value, double *se, struct sg_err *err)
{
    const double least = is_ratio ? 1 / SG_NIGHT_RATIO_MAX : SG_NS_MIN, most = is_ratio ? SG_NIGHT_RATIO_MAX : SG_NS_MAX;
    if (!sg_night_is_date(row->field[0]))
        return sg_field_fail("date", "a date such as 2026-11-20, or 2026-11-20T23:40:34Z", row->field[0], err);
    if (!sg_night_is_name(row->field[1]))
        return sg_field_fail("series", "FAMILY/CASE/VARIANT, or fewer parts, of [a-z0-9_]", row->field[1], err);
    if (sg_field_number("value", row->field[2], false, value, err) != SG_SUCCESS)
        return err->code;
    if (!(*value >= least && *value <= most))
        return sg_field_fail("value", is_ratio ? "a number from 1e-9 to 1e9" : "a number from 1e-6 to 1e15", row->field[2], err);
    if (*row->field[3] && sg_field_number("se", row->field[3], false, se, err) != SG_SUCCESS)
        return err->code;
    if (*se < 0 || *se > SG_NIGHT_SE_MAX * *value)
        return sg_field_fail("se", "from 0 to 100 times the value", row->field[3], err);
    return SG_SUCCESS;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct import *in = context;
    double value = NAN, se = NAN;
    if (row->line == 1)
        return sg_csv_check_header(row, IMPORT_HEADER, err);
    const bool is_ratio = in->options->is_ratio;
    if (check_row(row, is_ratio, &value, &se, err) != SG_SUCCESS)
        return sg_fail_here(err, row->path, row->line);
    struct import_row *kept = SG_APPEND(in->rows, in->count, in->capacity);
    *kept =
        (struct import_row){.date = keep(in, row->field[0]), .name = keep(in, row->field[1]), .line = row->line, .row = SG_NIGHT_ROW_EMPTY};
    kept->row.name = sg_intern(&in->history.pool, kept->name);
    kept->row.status = sg_intern(&in->history.pool, sg_status_word(SG_OK));
    *(is_ratio ? &kept->row.ratio : &kept->row.time) = value;
    *(is_ratio ? &kept->row.ratio_se : &kept->row.time_se) = isnan(se) ? NAN : se / value;
    return SG_SUCCESS;
}

static int by_date(const void *left, const void *right)
{
    const struct import_row *a = left, *b = right;
    const int order = strcmp(a->date, b->date);
    const int by_name = strcmp(a->name, b->name);
    return order != 0 ? order : by_name != 0 ? by_name : (a->line > b->line) - (a->line < b->line);
}

/* Of sorted rows, before any night is written. */
static enum sg_code check_once(const struct import *in, struct sg_err *err)
{
    for (size_t i = 1; i < in->count; i++) {
        const struct import_row *row = &in->rows[i];
        if (row->row.name == row[-1].row.name && strcmp(row->date, row[-1].date) == 0)
            return sg_fail_at(err, SG_BAD_INPUT, in->options->path, row->line, "expected one value of '%s' at %s, found two", row->name,
                              row->date);
    }
    return SG_SUCCESS;
}

/* The same rows are the same night again: it is named by what it holds. */
static struct sg_digest_word digest_of(const struct import_row *rows, size_t count)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    for (size_t i = 0; i < count; i++) {
        const double numbers[] = {rows[i].row.ratio, rows[i].row.ratio_se, rows[i].row.time, rows[i].row.time_se};
        sg_digest_add_string(&digest, rows[i].name);
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
            struct sg_text number = {0};
            sg_text_add_number(&number, numbers[k], 9);
            sg_digest_add_string(&digest, sg_text_string(&number));
            sg_text_release(&number);
        }
    }
    return sg_digest_word(&digest);
}

static enum sg_code add_night(struct import *in, const char *folder, const struct import_row *rows, size_t count,
                              struct sg_import_count *added, struct sg_err *err)
{
    struct sg_env *facts = &sg_history_begin_night(&in->history)->facts;
    struct sg_text path = {0};
    bool is_new = false;
    const char *slash = strrchr(in->options->path, '/');
    sg_env_set(facts, SG_NIGHT_DATE, rows[0].date);
    sg_env_set(facts, "gpu", in->options->gpu);
    sg_env_set(facts, "suite", in->options->suite);
    sg_env_set(facts, SG_NIGHT_RUN, digest_of(rows, count).text);
    sg_env_set(facts, SG_NIGHT_IMPORT, slash ? slash + 1 : in->options->path);
    for (size_t i = 0; i < count; i++)
        sg_history_add_row(&in->history, &rows[i].row);
    if (sg_history_add(folder, &in->history, &path, &is_new, err) == SG_SUCCESS) {
        added->nights += is_new;
        added->known += !is_new;
        added->values += is_new ? count : 0;
    }
    sg_text_release(&path);
    return err->code;
}

enum sg_code sg_history_import(const char *folder, const struct sg_import *import, struct sg_import_count *count, struct sg_err *err)
{
    struct import in = {.options = import};
    *count = (struct sg_import_count){0};
    if (sg_csv_read(import->path, on_row, &in, err) == SG_SUCCESS && in.count > 0)
        qsort(in.rows, in.count, sizeof(*in.rows), by_date);
    if (err->code == SG_SUCCESS)
        check_once(&in, err);
    for (size_t from = 0, to; from < in.count && err->code == SG_SUCCESS; from = to) {
        for (to = from; to < in.count && strcmp(in.rows[to].date, in.rows[from].date) == 0;)
            to++;
        add_night(&in, folder, &in.rows[from], to - from, count, err);
    }
    free(in.rows);
    sg_history_release(&in.history);
    return err->code;
}

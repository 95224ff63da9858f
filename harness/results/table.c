#include "results/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv_reader.h"
#include "util/file.h"

void sg_table_init(struct sg_table *table)
{
    *table = (struct sg_table){0};
}

void sg_table_release(struct sg_table *table)
{
    sg_pool_free(table->pool);
    free(table->rows);
    free(table->path);
    *table = (struct sg_table){0};
}

sg_id sg_table_intern(struct sg_table *table, const char *string)
{
    return sg_pool_intern(&table->pool, string);
}

sg_id sg_table_find_id(const struct sg_table *table, const char *string)
{
    return sg_pool_find(table->pool, string);
}

const char *sg_table_string(const struct sg_table *table, sg_id id)
{
    return sg_pool_string(table->pool, id);
}

/* A row at the end of the table that begins as a copy of the one before: its names are the best guess for the new ones. */
static struct sg_row *new_row(struct sg_table *table)
{
    table->rows = sg_grow(table->rows, &table->capacity, table->count + 1, sizeof(*table->rows));
    struct sg_row *row = &table->rows[table->count];
    *row = table->count > 0 ? row[-1] : (struct sg_row){0};
    table->count++;
    return row;
}

static void set_id(struct sg_table *table, sg_id *id, const char *string)
{
    *id = sg_pool_intern_like(&table->pool, *id, string ? string : "");
}

void sg_table_add(struct sg_table *table, const struct sg_value *value)
{
    struct sg_row *row = new_row(table);
    set_id(table, &row->family, value->family);
    set_id(table, &row->case_, value->case_);
    set_id(table, &row->variant, value->variant);
    set_id(table, &row->metric, value->metric);
    set_id(table, &row->unit, value->unit);
    set_id(table, &row->message, value->message);
    row->value = value->value;
    row->low = value->low;
    row->high = value->high;
    row->se = value->has & SG_HAS_SE ? value->se : NAN;
    row->sd = value->has & SG_HAS_SD ? value->sd : NAN;
    row->n = value->n;
    row->has = value->has;
    row->status = (uint8_t)value->status;
}

int sg_row_compare(const struct sg_table *table, const struct sg_row *a, const struct sg_row *b)
{
    const sg_id left[] = {a->family, a->case_, a->variant, a->metric};
    const sg_id right[] = {b->family, b->case_, b->variant, b->metric};
    for (size_t i = 0; i < 4; i++) {
        if (left[i] != right[i])
            return strcmp(sg_table_string(table, left[i]), sg_table_string(table, right[i]));
    }
    return 0;
}

/* The first row that does not come before `wanted` by its four names. */
static size_t lower_bound(const struct sg_table *table, const struct sg_row *wanted)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sg_row_compare(table, &table->rows[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Ids of four names; false: one of them is in no row. */
static bool find_names(const struct sg_table *table, const char *const name[4], struct sg_row *wanted)
{
    sg_id *const id[] = {&wanted->family, &wanted->case_, &wanted->variant, &wanted->metric};
    for (size_t i = 0; i < 4; i++) {
        *id[i] = sg_table_find_id(table, name[i]);
        if (*id[i] == UINT32_MAX)
            return false;
    }
    return true;
}

static bool is_of_variant(const struct sg_row *row, const struct sg_row *wanted)
{
    return row->variant == wanted->variant && row->case_ == wanted->case_ && row->family == wanted->family;
}

const struct sg_row *sg_table_find(const struct sg_table *table, const char *family, const char *case_, const char *variant,
                                   const char *metric)
{
    struct sg_row wanted = {0};
    if (!find_names(table, (const char *const[]){family, case_, variant, metric}, &wanted))
        return NULL;
    const size_t at = lower_bound(table, &wanted);
    if (at == table->count || table->rows[at].metric != wanted.metric || !is_of_variant(&table->rows[at], &wanted))
        return NULL;
    return &table->rows[at];
}

/* The name "" of no metric comes before all others. */
struct sg_row_range sg_table_variant(const struct sg_table *table, const char *family, const char *case_, const char *variant)
{
    struct sg_row wanted = {0};
    if (!find_names(table, (const char *const[]){family, case_, variant, ""}, &wanted))
        return (struct sg_row_range){0};
    struct sg_row_range span = {.from = lower_bound(table, &wanted)};
    span.to = span.from;
    while (span.to < table->count && is_of_variant(&table->rows[span.to], &wanted))
        span.to++;
    return span;
}

static void add_number(struct sg_text *out, bool there, double value)
{
    sg_text_add(out, ",");
    /* A reader takes no infinity, and none means anything: something over zero, or beyond all numbers. */
    if (there)
        sg_text_add_number(out, isinf(value) ? NAN : value, 9);
}

void sg_row_format(struct sg_text *out, const struct sg_table *table, const struct sg_row *row)
{
    const sg_id names[] = {row->family, row->case_, row->variant, row->metric, row->unit};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (i > 0)
            sg_text_add(out, ",");
        sg_csv_add_field(out, sg_table_string(table, names[i]));
    }
    add_number(out, row->has & SG_HAS_VALUE, row->value);
    add_number(out, row->has & SG_HAS_LOW, row->low);
    add_number(out, row->has & SG_HAS_HIGH, row->high);
    sg_text_add(out, ",");
    if (row->has & SG_HAS_N)
        sg_text_addf(out, "%u", row->n);
    sg_text_addf(out, ",%s", sg_status_word((enum sg_status)row->status));
    sg_text_add(out, ",");
    sg_csv_add_field(out, sg_table_string(table, row->message));
}

void sg_row_format_errors(struct sg_text *out, const struct sg_row *row)
{
    add_number(out, row->has & SG_HAS_SE, row->se);
    add_number(out, row->has & SG_HAS_SD, row->sd);
    sg_text_add(out, "\n");
}

enum sg_code sg_table_write(const char *path, const struct sg_table *table, struct sg_err *err)
{
    struct sg_text text = {0};
    sg_text_add(&text, SG_RUN_HEADER "\n");
    for (size_t i = 0; i < table->count; i++) {
        sg_row_format(&text, table, &table->rows[i]);
        sg_row_format_errors(&text, &table->rows[i]);
    }
    sg_write_file(path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

struct sg_value sg_value_of(const struct sg_table *table, const struct sg_row *row)
{
    return (struct sg_value){
        .family = sg_table_string(table, row->family),
        .case_ = sg_table_string(table, row->case_),
        .variant = sg_table_string(table, row->variant),
        .metric = sg_table_string(table, row->metric),
        .unit = sg_table_string(table, row->unit),
        .message = sg_table_string(table, row->message),
        .value = row->value,
        .low = row->low,
        .high = row->high,
        .se = row->se,
        .sd = row->sd,
        .n = row->n,
        .has = row->has,
        .status = (enum sg_status)row->status,
    };
}

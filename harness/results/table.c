#define _GNU_SOURCE /* qsort_r */
/* Rows in memory: added, sorted, found. */
#include "results/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sg_table_release(struct sg_table *table)
{
    sg_intern_pool_free(table->pool);
    free(table->rows);
    free(table->path);
    *table = (struct sg_table){0};
}

sg_id sg_table_intern(struct sg_table *table, const char *string)
{
    return sg_intern(&table->pool, string);
}

sg_id sg_table_find_id(const struct sg_table *table, const char *string)
{
    return sg_intern_pool_find(table->pool, string);
}

const char *sg_table_string(const struct sg_table *table, sg_id id)
{
    return sg_intern_pool_string(table->pool, id);
}

static sg_id id_of(struct sg_table *table, const char *string)
{
    return sg_table_intern(table, string ? string : "");
}

void sg_table_add(struct sg_table *table, const struct sg_value *value)
{
    const struct sg_row row = {
        .family = id_of(table, value->family),
        .case_ = id_of(table, value->case_),
        .variant = id_of(table, value->variant),
        .metric = id_of(table, value->metric),
        .unit = id_of(table, value->unit),
        .message = id_of(table, value->message),
        .value = value->value,
        .low = value->low,
        .high = value->high,
        .se = value->has & SG_HAS_SE ? value->se : NAN,
        .sd = value->has & SG_HAS_SD ? value->sd : NAN,
        .n = value->n,
        .has = value->has,
        .status = value->status,
    };
    *SG_APPEND(table->rows, table->count, table->capacity) = row;
}

void sg_table_add_words(struct sg_table *table, struct sg_value item, const char *metric,
                        enum sg_status status, const char *words)
{
    item.metric = metric;
    item.status = status;
    item.message = words;
    sg_table_add(table, &item);
}

void sg_table_add_number(struct sg_table *table, struct sg_value item, const char *metric,
                         const char *unit, double number)
{
    item.metric = metric;
    item.unit = unit;
    item.value = number;
    item.has = SG_HAS_VALUE;
    sg_table_add(table, &item);
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

bool sg_is_reported(const struct sg_row *row)
{
    return (row->has & SG_HAS_N) == 0;
}

bool sg_table_has_metric(const struct sg_table *table, const char *metric)
{
    const sg_id id = sg_table_find_id(table, metric);
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].metric == id)
            return true;
    return false;
}

bool sg_row_same_item(const struct sg_row *a, const struct sg_row *b)
{
    return a->variant == b->variant && a->case_ == b->case_ && a->family == b->family;
}

int sg_row_compare(const struct sg_table *table, const struct sg_row *a, const struct sg_row *b)
{
    const sg_id left[] = {SG_NAMES(*a), a->metric};
    const sg_id right[] = {SG_NAMES(*b), b->metric};
    for (size_t i = 0; i < 4; i++)
        if (left[i] != right[i])
            return strcmp(sg_table_string(table, left[i]), sg_table_string(table, right[i]));
    return 0;
}

/* ---- finding ---- */

/* The first row whose four names are not less than those of `wanted`. */
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

/* Looks up the ids of four names; false: no row has one of them. */
static bool find_names(const struct sg_table *table, const char *const name[4],
                       struct sg_row *wanted)
{
    sg_id *const id[] = {&wanted->family, &wanted->case_, &wanted->variant, &wanted->metric};
    for (size_t i = 0; i < 4; i++) {
        *id[i] = sg_table_find_id(table, name[i]);
        if (*id[i] == UINT32_MAX)
            return false;
    }
    return true;
}

const struct sg_row *sg_table_find(const struct sg_table *table, const char *family,
                                   const char *case_, const char *variant, const char *metric)
{
    struct sg_row wanted = {0};
    if (!find_names(table, (const char *const[]){family, case_, variant, metric}, &wanted))
        return NULL;
    const size_t at = lower_bound(table, &wanted);
    if (at == table->count || table->rows[at].metric != wanted.metric ||
        !sg_row_same_item(&table->rows[at], &wanted))
        return NULL;
    return &table->rows[at];
}

const char *sg_row_partner(const struct sg_table *table, const struct sg_row *row)
{
    if (!row || strcmp(sg_table_string(table, row->metric), "time_ratio") != 0)
        return NULL;
    const char *partner = sg_table_string(table, row->message);
    return sg_is_name(partner) ? partner : NULL;
}

/* The empty name is not a metric and sorts before all metrics. */
struct sg_row_range sg_table_variant(const struct sg_table *table, const char *family,
                                     const char *case_, const char *variant)
{
    struct sg_row wanted = {0};
    if (!find_names(table, (const char *const[]){family, case_, variant, ""}, &wanted))
        return (struct sg_row_range){0};
    struct sg_row_range span = {.from = lower_bound(table, &wanted)};
    span.to = span.from;
    while (span.to < table->count && sg_row_same_item(&table->rows[span.to], &wanted))
        span.to++;
    return span;
}

/* ---- sorting ---- */

/* Sorts by the four names, then by position, so that of two equal rows the later one is the
 * duplicate. */
static int by_names(const void *left, const void *right, void *table)
{
    const struct sg_row *const *a = left, *const *b = right;
    const int order = sg_row_compare(table, *a, *b);
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* Reorders an array parallel to the rows in the order of the sorted rows. */
static void *reorder(const struct sg_table *table, const struct sg_row *const *sorted,
                     const void *elements, size_t size)
{
    char *ordered = sg_alloc(table->count, size);
    for (size_t i = 0; i < table->count; i++)
        memcpy(ordered + i * size,
               (const char *)elements + (size_t)(sorted[i] - table->rows) * size, size);
    return ordered;
}

static void sort(struct sg_table *table, const struct sg_sort_context *context)
{
    const struct sg_row **sorted = sg_alloc(table->count, sizeof(*sorted));
    for (size_t i = 0; i < table->count; i++)
        sorted[i] = &table->rows[i];
    qsort_r(sorted, table->count, sizeof(*sorted), by_names, table);
    if (context->elements) {
        SG_FREED void *ordered = reorder(table, sorted, context->elements, context->size);
        memcpy(context->elements, ordered, table->count * context->size);
    }
    struct sg_row *rows = reorder(table, sorted, table->rows, sizeof(*rows));
    free(table->rows);
    table->rows = rows;
    table->capacity = table->count;
    free(sorted);
}

static enum sg_code fail_twice(const struct sg_table *table, const struct sg_row *row,
                               const char *path, struct sg_err *err)
{
    const struct sg_value value = sg_value_of(table, row);
    const long line = row->line, before = row[-1].line;
    if (path && before > 0 && before < line)
        return sg_fail_at(err, SG_BAD_INPUT, path, line,
                          "expected each row once, found %s/%s/%s %s again; it is on line %ld too",
                          SG_NAMES(value), value.metric, before);
    sg_fail(err, SG_BAD_INPUT, NULL, "expected each row once, found two of %s/%s/%s %s",
            SG_NAMES(value), value.metric);
    return path ? sg_fail_here(err, path, line > 0 ? line : 1)
                : err->code; /* the other row is in another file */
}

enum sg_code sg_table_sort_with(struct sg_table *table, const struct sg_sort_context *context,
                                struct sg_err *err)
{
    bool is_sorted = true;
    for (size_t i = 1; i < table->count && is_sorted; i++)
        is_sorted = sg_row_compare(table, &table->rows[i - 1], &table->rows[i]) <= 0;
    if (!is_sorted)
        sort(table, context);
    for (size_t i = 1; i < table->count; i++)
        if (sg_row_compare(table, &table->rows[i - 1], &table->rows[i]) == 0)
            return fail_twice(table, &table->rows[i], context->path, err);
    return SG_SUCCESS;
}

enum sg_code sg_table_sort(struct sg_table *table, struct sg_err *err)
{
    const struct sg_sort_context nothing = {0};
    return sg_table_sort_with(table, &nothing, err);
}

enum sg_code sg_row_fail(struct sg_err *err, const char *path, const struct sg_table *table,
                         const struct sg_row *row, const char *format, ...)
{
    const struct sg_value value = sg_value_of(table, row);
    char complaint[sizeof(err->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof(complaint), format, args);
    va_end(args);
    SG_FORMATTED(where, "%s", path ? path : "");
    if (path && row->line > 0)
        sg_text_addf(&where, ":%lu", (unsigned long)row->line);
    return sg_fail(err, SG_BAD_INPUT, sg_text_string(&where), "%s/%s/%s %s: %s", SG_NAMES(value),
                   value.metric, complaint);
}

void sg_table_add_raw_counters(const struct sg_table *table, struct sg_catalogue *catalogue)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        const char *metric = sg_table_string(table, row->metric);
        if (sg_metric_is_raw(metric) && (row->has & SG_HAS_VALUE))
            sg_catalogue_add_raw(catalogue, metric, sg_table_string(table, row->unit));
    }
}

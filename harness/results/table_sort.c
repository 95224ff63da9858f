/* Sorting the rows of a table (results/table.h), with or without an array beside them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/table.h"
#include "util/csv_reader.h"

/* Ranks instead of strings: qsort compares integers, and needs no way to reach the pool. */
struct key {
    uint32_t rank[4];
    uint32_t index; /* makes the order of equals that of the file */
};

struct ranked {
    const char *string;
    sg_id id;
};

static int by_string(const void *a, const void *b)
{
    return strcmp(((const struct ranked *)a)->string, ((const struct ranked *)b)->string);
}

static int by_key(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    for (size_t i = 0; i < sizeof(struct key) / sizeof(*left); i++) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

/* rank[id] of every string that names a row; messages may be many
 * and need none. Owned by the caller. */
static uint32_t *rank_names(const struct sg_table *table)
{
    uint32_t count = sg_intern_pool_count(table->pool), used = 0;
    uint32_t *rank = sg_alloc(count, sizeof(*rank));
    struct ranked *strings = sg_alloc(count, sizeof(*strings));
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        rank[row->family] = rank[row->case_] = rank[row->variant] = rank[row->metric] = 1;
    }
    for (sg_id id = 0; id < count; id++) {
        if (rank[id])
            strings[used++] = (struct ranked){sg_table_string(table, id), id};
    }
    qsort(strings, used, sizeof(*strings), by_string);
    for (uint32_t i = 0; i < used; i++)
        rank[strings[i].id] = i;
    free(strings);
    return rank;
}

static struct key *sort_keys(const struct sg_table *table)
{
    uint32_t *rank = rank_names(table);
    struct key *keys = sg_alloc(table->count, sizeof(*keys));
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        keys[i] = (struct key){{rank[row->family], rank[row->case_], rank[row->variant], rank[row->metric]}, (uint32_t)i};
    }
    free(rank);
    qsort(keys, table->count, sizeof(*keys), by_key);
    return keys;
}

/* Moves elements[keys[i].index] to elements[i], in place, cycle by cycle;
 * the indices end up as they were. */
static void permute(const struct key *keys, size_t count, void *elements, size_t size)
{
    char *at = elements, *held = sg_alloc(1, size);
    bool *placed = sg_alloc(count, sizeof(*placed));
    for (size_t start = 0; start < count; start++) {
        if (placed[start])
            continue;
        memcpy(held, at + start * size, size);
        size_t to = start;
        for (size_t from = keys[to].index; from != start; to = from, from = keys[to].index) {
            memcpy(at + to * size, at + from * size, size);
            placed[to] = true;
        }
        memcpy(at + to * size, held, size);
        placed[to] = true;
    }
    free(placed);
    free(held);
}

static bool is_sorted(const struct sg_table *table)
{
    for (size_t i = 1; i < table->count; i++) {
        if (sg_row_compare(table, &table->rows[i - 1], &table->rows[i]) > 0)
            return false;
    }
    return true;
}

/* The names of a row, and where it is, the first two times: looked up only when
 * there is something to complain of. */
struct lookup {
    const char *name[4];
    long line[2];
    int found;
};

static enum sg_code look_for_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct lookup *lookup = context;
    size_t equal = 0;
    while (equal < 4 && strcmp(row->field[equal], lookup->name[equal]) == 0)
        equal++;
    if (equal == 4 && row->line > 1 && lookup->found < 2)
        lookup->line[lookup->found++] = row->line;
    return err->code;
}

static struct lookup look_up(const char *path, const struct sg_table *table, const struct sg_row *row)
{
    struct lookup lookup = {.name = {sg_table_string(table, row->family), sg_table_string(table, row->case_),
                                     sg_table_string(table, row->variant), sg_table_string(table, row->metric)}};
    struct sg_err unread = {0};
    if (path && sg_csv_read(path, look_for_row, &lookup, &unread) != SG_SUCCESS)
        lookup.found = 0;
    return lookup;
}

enum sg_code sg_row_fail(struct sg_err *err, const char *path, const struct sg_table *table, const struct sg_row *row, const char *format,
                         ...)
{
    const struct lookup lookup = look_up(path, table, row);
    char complaint[sizeof(err->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof(complaint), format, args);
    va_end(args);
    struct sg_text where = {0};
    if (path)
        sg_text_add(&where, path);
    if (lookup.found > 0)
        sg_text_addf(&where, ":%ld", lookup.line[0]);
    sg_fail(err, SG_BAD_INPUT, sg_text_string(&where), "%s/%s/%s %s: %s", lookup.name[0], lookup.name[1], lookup.name[2], lookup.name[3],
            complaint);
    sg_text_release(&where);
    return err->code;
}

static enum sg_code fail_twice(const struct sg_table *table, const struct sg_row *row, const char *path, struct sg_err *err)
{
    const struct lookup twins = look_up(path, table, row);
    if (twins.found == 2)
        return sg_fail_at(err, SG_BAD_INPUT, path, twins.line[1], "expected each row once, found %s/%s/%s %s again; it is on line %ld too",
                          twins.name[0], twins.name[1], twins.name[2], twins.name[3], twins.line[0]);
    if (twins.found == 1) /* its twin is in another file */
        return sg_fail_at(err, SG_BAD_INPUT, path, twins.line[0], "expected each row once, found two of %s/%s/%s %s", twins.name[0],
                          twins.name[1], twins.name[2], twins.name[3]);
    return sg_fail(err, SG_BAD_INPUT, path, "expected each row once, found two of %s/%s/%s %s", twins.name[0], twins.name[1], twins.name[2],
                   twins.name[3]);
}

enum sg_code sg_table_sort_with(struct sg_table *table, const struct sg_beside *beside, struct sg_err *err)
{
    if (!is_sorted(table)) {
        struct key *keys = sort_keys(table);
        permute(keys, table->count, table->rows, sizeof(*table->rows));
        if (beside->elements)
            permute(keys, table->count, beside->elements, beside->size);
        free(keys);
    }
    for (size_t i = 1; i < table->count; i++) {
        if (sg_row_compare(table, &table->rows[i - 1], &table->rows[i]) == 0)
            return fail_twice(table, &table->rows[i], beside->path, err);
    }
    return SG_SUCCESS;
}

enum sg_code sg_table_sort(struct sg_table *table, struct sg_err *err)
{
    const struct sg_beside nothing = {0};
    return sg_table_sort_with(table, &nothing, err);
}

#include "reports/tables/counter_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv_reader.h"
#include "util/intern.h"

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void sg_counter_matrix_init(struct sg_counter_matrix *wide, const struct sg_table *table,
                            const char *prefix)
{
    struct sg_intern_pool *seen = NULL;
    *wide = (struct sg_counter_matrix){.table = table};
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        const char *metric = sg_table_string(table, row->metric);
        if (i == 0 || !sg_row_same_item(row, row - 1))
            *SG_APPEND(wide->rows, wide->row_count, wide->row_capacity) =
                (struct sg_counter_matrix_row){.first = row};
        wide->rows[wide->row_count - 1].count++;
        if ((row->has & SG_HAS_VALUE) && strncmp(metric, prefix, strlen(prefix)) == 0 &&
            sg_intern_pool_is_news(&seen, metric))
            *SG_APPEND(wide->columns, wide->column_count, wide->column_capacity) = metric;
    }
    if (wide->column_count > 0)
        qsort(wide->columns, wide->column_count, sizeof(*wide->columns), by_name);
}

/* NULL: the variant has no such row. */
static const struct sg_row *row_of(const struct sg_counter_matrix *wide, size_t row,
                                   const char *metric)
{
    const struct sg_counter_matrix_row *variant = &wide->rows[row];
    const struct sg_row *found = NULL;
    for (size_t i = 0; i < variant->count && !found; i++)
        if (strcmp(sg_table_string(wide->table, variant->first[i].metric), metric) == 0)
            found = &variant->first[i];
    return found;
}

double sg_counter_matrix_value(const struct sg_counter_matrix *wide, size_t row, size_t column)
{
    const struct sg_row *found = row_of(wide, row, wide->columns[column]);
    return found && (found->has & SG_HAS_VALUE) ? found->value : NAN;
}

static void add_row(const struct sg_counter_matrix *wide, size_t row, struct sg_text *out)
{
    const struct sg_row *first = wide->rows[row].first, *status = row_of(wide, row, "status");
    const struct sg_value item = sg_value_of(wide->table, first);
    const char *const words[] = {SG_NAMES(item),
                                 status ? sg_status_word((enum sg_status)status->status) : ""};
    sg_csv_add_fields(out, words, sizeof(words) / sizeof(words[0]));
    for (size_t column = 0; column < wide->column_count; column++) {
        const struct sg_row *found = row_of(wide, row, wide->columns[column]);
        sg_text_add(out, ",");
        if (found && (found->has & SG_HAS_VALUE))
            sg_text_add_number(out, found->value, 9);
    }
    sg_text_add(out, "\n");
}

void sg_counter_matrix_csv(const struct sg_counter_matrix *wide, struct sg_text *out)
{
    sg_text_add(out, wide->column_count > 0 ? "family,case,variant,status,"
                                            : "family,case,variant,status");
    sg_csv_add_fields(out, wide->columns, wide->column_count);
    sg_text_add(out, "\n");
    for (size_t row = 0; row < wide->row_count; row++)
        add_row(wide, row, out);
}

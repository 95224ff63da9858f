#include "reports/tables/counter_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report.h"
#include "util/csv_reader.h"

static void add_variant(struct sg_counter_matrix *wide, const struct sg_row *first)
{
    *SG_APPEND(wide->rows, wide->row_count, wide->row_capacity) = (struct sg_counter_matrix_row){.first = first, .status = SG_STATUS_COUNT};
}

static void find_variants(struct sg_counter_matrix *wide)
{
    const struct sg_table *table = wide->table;
    const sg_id status = sg_table_find_id(table, "status");
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        if (i == 0 || !sg_row_same_item(row, row - 1))
            add_variant(wide, row);
        struct sg_counter_matrix_row *variant = &wide->rows[wide->row_count - 1];
        variant->count++;
        if (row->metric == status)
            variant->status = row->status;
        if (row->metric >= wide->id_count)
            wide->id_count = (size_t)row->metric + 1;
    }
}

/* qsort hands on no context, so the names are sorted with their columns beside them. */
struct named {
    const char *name;
    sg_id id;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct named *)left)->name, ((const struct named *)right)->name);
}

static void sort_columns(struct sg_counter_matrix *wide)
{
    struct named *named = sg_alloc(wide->column_count + 1, sizeof(*named));
    for (size_t i = 0; i < wide->column_count; i++)
        named[i] = (struct named){.name = sg_counter_matrix_column(wide, i), .id = wide->columns[i]};
    qsort(named, wide->column_count, sizeof(*named), by_name);
    for (size_t i = 0; i < wide->column_count; i++) {
        wide->columns[i] = named[i].id;
        wide->column_of[named[i].id] = (uint32_t)i;
    }
    free(named);
}

static void find_columns(struct sg_counter_matrix *wide, const char *prefix)
{
    wide->column_of = sg_alloc(wide->id_count + 1, sizeof(*wide->column_of));
    for (size_t i = 0; i < wide->id_count; i++)
        wide->column_of[i] = UINT32_MAX;
    for (size_t i = 0; i < wide->table->count; i++) {
        const struct sg_row *row = &wide->table->rows[i];
        if (!(row->has & SG_HAS_VALUE) || wide->column_of[row->metric] != UINT32_MAX)
            continue;
        if (strncmp(sg_table_string(wide->table, row->metric), prefix, strlen(prefix)) != 0)
            continue;
        wide->column_of[row->metric] = (uint32_t)wide->column_count;
        *SG_APPEND(wide->columns, wide->column_count, wide->column_capacity) = row->metric;
    }
    sort_columns(wide);
}

void sg_counter_matrix_init(struct sg_counter_matrix *wide, const struct sg_table *table, const char *prefix)
{
    *wide = (struct sg_counter_matrix){.table = table};
    find_variants(wide);
    find_columns(wide, prefix);
}

void sg_counter_matrix_release(struct sg_counter_matrix *wide)
{
    free(wide->rows);
    free(wide->columns);
    free(wide->column_of);
    *wide = (struct sg_counter_matrix){0};
}

const char *sg_counter_matrix_column(const struct sg_counter_matrix *wide, size_t column)
{
    return sg_table_string(wide->table, wide->columns[column]);
}

double sg_counter_matrix_value(const struct sg_counter_matrix *wide, size_t row, size_t column)
{
    const struct sg_counter_matrix_row *variant = &wide->rows[row];
    for (size_t i = 0; i < variant->count; i++)
        if (variant->first[i].metric == wide->columns[column])
            return variant->first[i].has & SG_HAS_VALUE ? variant->first[i].value : NAN;
    return NAN;
}

static void add_csv_row(const struct sg_counter_matrix *wide, const struct sg_counter_matrix_row *variant, const struct sg_row **cell,
                        struct sg_text *out)
{
    memset(cell, 0, (wide->column_count + 1) * sizeof(*cell));
    for (size_t i = 0; i < variant->count; i++) {
        const struct sg_row *row = &variant->first[i];
        if ((row->has & SG_HAS_VALUE) && wide->column_of[row->metric] != UINT32_MAX)
            cell[wide->column_of[row->metric]] = row;
    }
    const sg_id names[] = {variant->first->family, variant->first->case_, variant->first->variant};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        sg_csv_add_field(out, sg_table_string(wide->table, names[i]));
        sg_text_add(out, ",");
    }
    sg_text_add(out, variant->status < SG_STATUS_COUNT ? sg_status_word((enum sg_status)variant->status) : "");
    for (size_t column = 0; column < wide->column_count; column++) {
        sg_text_add(out, ",");
        if (cell[column] && isnan(cell[column]->value))
            sg_text_add(out, "nan");
        else if (cell[column])
            sg_add_exactly(out, cell[column]->value);
    }
    sg_text_add(out, "\n");
}

void sg_counter_matrix_csv(const struct sg_counter_matrix *wide, struct sg_text *out)
{
    const struct sg_row **cell = sg_alloc(wide->column_count + 1, sizeof(*cell));
    sg_text_add(out, "family,case,variant,status");
    for (size_t column = 0; column < wide->column_count; column++) {
        sg_text_add(out, ",");
        sg_csv_add_field(out, sg_counter_matrix_column(wide, column));
    }
    sg_text_add(out, "\n");
    for (size_t row = 0; row < wide->row_count; row++)
        add_csv_row(wide, &wide->rows[row], cell, out);
    free(cell);
}

/*
 * reports/tables/counter_matrix.h - a run turned wide: a row a variant, a column a metric, for
 * counters.csv, stalls.csv and the stall chart.
 *
 * Invariant: columns are the metrics of the table with a number somewhere, sorted by name; the
 * table must be sorted and outlive this.
 */
#ifndef SG_REPORTS_TABLES_COUNTER_MATRIX_H
#define SG_REPORTS_TABLES_COUNTER_MATRIX_H

#include "results/table.h"

struct sg_counter_matrix_row {
    const struct sg_row *first; /* of this variant in the table */
    size_t count;               /* how many rows it has there */
    uint8_t status;             /* enum sg_status of the variant; SG_STATUS_COUNT: not said */
};

struct sg_counter_matrix {
    const struct sg_table *table;       /* borrowed */
    struct sg_counter_matrix_row *rows; /* owned */
    size_t row_count, row_capacity;
    sg_id *columns; /* owned: metrics */
    size_t column_count, column_capacity;
    uint32_t *column_of; /* owned: by sg_id, UINT32_MAX: no column */
    size_t id_count;
};

/* Metrics whose name begins with `prefix` ("" for all). */
void sg_counter_matrix_init(struct sg_counter_matrix *wide, const struct sg_table *table, const char *prefix);
void sg_counter_matrix_release(struct sg_counter_matrix *wide);
double sg_counter_matrix_value(const struct sg_counter_matrix *wide, size_t row, size_t column); /* NaN: not there, or not a number */
const char *sg_counter_matrix_column(const struct sg_counter_matrix *wide, size_t column);
/* family,case,variant,status, then a column a metric; not a number is `nan`, missing is empty. */
void sg_counter_matrix_csv(const struct sg_counter_matrix *wide, struct sg_text *out);

#endif

/*
 * reports/tables/counter_matrix.h - a run as a wide table: one row per variant, one column per
 * metric, for counters.csv and the stall chart.
 *
 * Invariant: columns are the metrics with a number in any row, sorted by name. The table must be
 * sorted and outlive this struct.
 */
#pragma once

#include "results/table.h"

struct sg_counter_matrix_row {
    const struct sg_row *first; /* first row of this variant in the table */
    size_t count;               /* number of its rows there */
};

struct sg_counter_matrix {
    const struct sg_table *table;       /* borrowed */
    struct sg_counter_matrix_row *rows; /* owned */
    size_t row_count, row_capacity;
    const char **columns; /* owned; metric names borrowed from the table */
    size_t column_count, column_capacity;
};

/* Includes metrics whose name begins with `prefix` ("" for all). */
void sg_counter_matrix_init(struct sg_counter_matrix *wide, const struct sg_table *table,
                            const char *prefix);
/* NaN: missing, or not a number */
double sg_counter_matrix_value(const struct sg_counter_matrix *wide, size_t row, size_t column);
/* family,case,variant,status, then a column per metric; NaN is `nan`, missing is empty. */
void sg_counter_matrix_csv(const struct sg_counter_matrix *wide, struct sg_text *out);

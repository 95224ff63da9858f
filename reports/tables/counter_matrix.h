/*
 * reports/tables/counter_matrix.h - a run turned wide: a row a variant, a column a metric, for
 * counters.csv and the stall chart.
 *
 * Invariant: columns are the metrics of the table with a number somewhere, sorted by name; the
 * table must be sorted and outlive this.
 */
#pragma once

#include "results/table.h"

struct sg_counter_matrix_row {
    const struct sg_row *first; /* of this variant in the table */
    size_t count;               /* how many rows it has there */
};

struct sg_counter_matrix {
    const struct sg_table *table;       /* borrowed */
    struct sg_counter_matrix_row *rows; /* owned */
    size_t row_count, row_capacity;
    const char **columns; /* owned; metrics, borrowed from the table */
    size_t column_count, column_capacity;
};

/* Metrics whose name begins with `prefix` ("" for all). */
void sg_counter_matrix_init(struct sg_counter_matrix *wide, const struct sg_table *table, const char *prefix);
void sg_counter_matrix_release(struct sg_counter_matrix *wide);
double sg_counter_matrix_value(const struct sg_counter_matrix *wide, size_t row, size_t column); /* NaN: not there, or not a number */
/* family,case,variant,status, then a column a metric; not a number is `nan`, missing is empty. */
void sg_counter_matrix_csv(const struct sg_counter_matrix *wide, struct sg_text *out);

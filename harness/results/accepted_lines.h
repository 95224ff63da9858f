/*
 * results/accepted_lines.h - the lines of both tables of accepted numbers (docs/formats.md).
 *
 * <suite>.csv has the judged rows, <suite>.counters.csv one row per counter. The name of a row's
 * metric decides its table. Invariant: reading returns what was written, numbers to nine digits and
 * spreads to three.
 */
#pragma once

#include "results/accepted_file.h"
#include "util/csv_reader.h"

/* Each takes a line of <suite>.csv or <suite>.counters.csv; `context` is a struct
 * sg_accepted_file. */
sg_csv_fn sg_accepted_take_judged, sg_accepted_take_counter;

/* Formats both files as text. */
void sg_accepted_format(const struct sg_accepted_file *file, struct sg_text *judged,
                        struct sg_text *counters);

/* True if the row belongs in <suite>.counters.csv. */
bool sg_is_accepted_counter(const struct sg_table *table, const struct sg_row *row);

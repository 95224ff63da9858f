/*
 * results/accepted_lines.h - the lines of both tables of accepted numbers (docs/formats.md).
 *
 * <suite>.csv has the rows that are judged, <suite>.counters.csv a row for each counter. The name
 * of a row's metric decides where it stands. Invariant: what was written is read back as it
 * was, numbers to nine digits, a spread to three.
 */
#pragma once

#include "results/accepted_file.h"
#include "util/csv_reader.h"

#define SG_ACCEPTED_HEADER          SG_RUN_HEADER_1 ",tolerance,gate,beta,f0,sd_process,sd_day,expect,reason,se,sd"
#define SG_ACCEPTED_COUNTERS_HEADER SG_RUN_HEADER_1 ",spread,gate,reason"

/* A line of <suite>.csv, or of <suite>.counters.csv, into the struct sg_accepted_file that is the
 * context. */
sg_csv_fn sg_accepted_take_judged, sg_accepted_take_counter;

/* Both files as text. */
void sg_accepted_format(const struct sg_accepted_file *file, struct sg_text *judged, struct sg_text *counters);

/* Does this row stand among the counters? */
bool sg_is_accepted_counter(const struct sg_table *table, const struct sg_row *row);

/*
 * results/accepted_lines.h - the lines of a file of accepted numbers (docs/formats.md).
 *
 * A row that is judged by itself has a line of its own. The counters of an item that neither gate
 * nor have a reason stand in lists, a line for those of one kind. Rows that nobody reads have no
 * line. Invariant: what is read from a list was a row before, with its value to nine digits; that
 * of a noisy counter to six, and its spread between runs to three.
 */
#ifndef SG_RESULTS_ACCEPTED_LINES_H
#define SG_RESULTS_ACCEPTED_LINES_H

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "util/csv_reader.h"

/* Columns of SG_BASELINE_HEADER behind those of a run up to its message. */
enum {
    SG_ACCEPTED_METRIC = 3,
    SG_ACCEPTED_TOLERANCE = SG_VALUE_FIELDS,
    SG_ACCEPTED_GATE,
    SG_ACCEPTED_BETA,
    SG_ACCEPTED_F0,
    SG_ACCEPTED_SD_PROCESS,
    SG_ACCEPTED_SD_DAY,
    SG_ACCEPTED_EXPECT,
    SG_ACCEPTED_REASON,
    SG_ACCEPTED_SE,
    SG_ACCEPTED_SD,
    SG_ACCEPTED_FIELDS
};

/* The header and all lines. The table is sorted. Counters that the
 * catalogue does not have are exact. */
void sg_accepted_lines_format(struct sg_text *out, const struct sg_accepted_file *numbers, const struct sg_catalogue *catalogue);

/* Is this what stands in place of the metric's name in the line of a list? */
bool sg_is_counter_list(const char *metric);
/* Does the list, the value of its line, have this counter? */
bool sg_counter_list_has(const char *list, const char *metric);

/* Takes the fields of a row; they are valid during the call. */
typedef enum sg_code sg_accepted_row_fn(void *context, const char *const field[SG_ACCEPTED_FIELDS], struct sg_err *err);
/* Hands on the line's rows: itself, or those of its list. SG_BAD_INPUT says what is wrong
 * with a list, with no place in it. */
enum sg_code sg_accepted_lines_expand(const struct sg_csv_row *line, sg_accepted_row_fn *fn, void *context, struct sg_err *err);

#endif

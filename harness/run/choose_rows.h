/*
 * run/choose_rows.h - which rows of a night are timed (docs/method.md 3).
 *
 * Pure. What is known to be made of the same as what was accepted need not be timed again. A few
 * such rows are all the same, those that were timed longest ago, so that drift of the machine is
 * seen. Invariant: of nights that are done every day no SG_FORTNIGHT pass without a row.
 */
#ifndef SG_RUN_CHOOSE_ROWS_H
#define SG_RUN_CHOOSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SG_FORTNIGHT 14 /* days, and nights */

struct sg_choice_row {
    size_t index; /* the caller's, as is the name */
    uint32_t name;
    uint64_t lot;      /* decides among rows of one day; of one row the same every night */
    size_t module;     /* rows of one module have the same number */
    long timed_day;    /* number of the day of its last time; 0: no night has one */
    bool is_identical; /* made of the same as what was accepted, as far as is known; false where it is not known */
    bool is_timed;     /* what comes of it */
};

struct sg_choice_terms {
    long today, first_day; /* numbers of days; first_day: of the first night that could have timed rows, today if there is none */
    bool has_history;      /* else rows are drawn by the number of the day */
    bool with_neighbours;  /* of a changed row: the others of its module, because the harness is another one, too */
};

/* Sorts the rows, too. */
void sg_choose_rows(struct sg_choice_row *rows, size_t count, const struct sg_choice_terms *terms);

#endif

/*
 * reports/tables/gap_rows.h - the order in which people read gaps, of one table or of several side
 * by side: a row a variant of a case.
 *
 * Invariant: cases in the order of their best gap, the largest first, so that what
 * is farthest from its limit stands on top; in a case the smallest gap first. What
 * was timed in no table stands last.
 */
#ifndef SG_REPORTS_TABLES_GAP_ROWS_H
#define SG_REPORTS_TABLES_GAP_ROWS_H

#include "reports/report.h"

struct sg_gap_row {
    const struct sg_gap *gap[SG_GAPS_MAX]; /* borrowed, by table; NULL: it is not there. */
    const struct sg_gap *first;            /* the first of them */
    double best, best_of_case;             /* gaps over all tables; INFINITY: not timed */
};

struct sg_gap_rows {
    struct sg_gap_row *items; /* owned */
    size_t count;
};

/* Of 1 to SG_GAPS_MAX tables, which must outlive this. */
void sg_gap_rows_make(struct sg_gap_rows *rows, const struct sg_sol_table *gaps, size_t count);
void sg_gap_rows_release(struct sg_gap_rows *rows);
/* Does a row begin a case? */
bool sg_gap_rows_is_first(const struct sg_gap_rows *rows, size_t row);

#endif

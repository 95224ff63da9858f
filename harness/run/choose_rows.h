/*
 * run/choose_rows.h - which rows of a nightly run are timed (docs/method.md 3).
 *
 * Pure. A row that is identical to what was accepted need not be timed again. A few identical rows
 * are timed anyway, in rotation, so that drift of the machine is noticed. Invariant: each row is
 * timed at least once in SG_FORTNIGHT turns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_FORTNIGHT 14 /* turns; a nightly run takes one turn per day since the previous one */

struct sg_choice_row {
    size_t index;      /* for the caller's use */
    size_t module;     /* equal for rows of one module */
    bool is_identical; /* identical to what was accepted; false if unknown */
    bool is_timed;     /* the result */
};

struct sg_choice_terms {
    unsigned long turn;   /* the last turn of this nightly run */
    unsigned long turns;  /* number of turns of this nightly run */
    bool with_neighbours; /* also the other rows of its module: the harness changed, too */
};

void sg_choose_rows(struct sg_choice_row *rows, size_t count, const struct sg_choice_terms *terms);

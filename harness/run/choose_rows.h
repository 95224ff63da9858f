/*
 * run/choose_rows.h - which rows of a night are timed (docs/method.md 3).
 *
 * Pure. What is known to be made of the same as what was accepted need not be timed again. A few
 * such rows are all the same, in turns, so that drift of the machine is seen. Invariant: in
 * SG_FORTNIGHT turns each row has one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_FORTNIGHT 14 /* turns: a night has one of its own, and those of the days since the night before */

struct sg_choice_row {
    size_t index;      /* the caller's */
    size_t module;     /* rows of one module have the same number */
    bool is_identical; /* made of the same as what was accepted, as far as is known; false where it is not known */
    bool is_timed;     /* what comes of it */
};

struct sg_choice_terms {
    unsigned long turn;   /* the last one of the night */
    unsigned long turns;  /* so many */
    bool with_neighbours; /* of a changed row: the others of its module, because the harness is another one, too */
};

void sg_choose_rows(struct sg_choice_row *rows, size_t count, const struct sg_choice_terms *terms);

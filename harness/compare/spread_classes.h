/*
 * compare/spread_classes.h - how GPUs differ in rows that are alike, out of accepted numbers of
 * several GPUs (docs/method.md 5).
 *
 * Pure. A row by itself shows the spread between k GPUs by k - 1 degrees of freedom, and of five
 * GPUs that is little. Rows of a class differ by about as much: the same metric and family, and a
 * baseline whose time begins with the same power of ten. Invariant: rows of numbers of one GPU, and
 * rows without a spread, are of no class.
 */
#pragma once

#include "compare/accepted_variance.h"
#include "results/accepted_file.h"

#define SG_CLASS_ROWS 3 /* fewer are no class */

struct sg_spread_class {
    bool paired, of_model;
    sg_id family;
    int decade; /* of the time of the case's baseline, log10 ns, rounded down */
    double squares;
    size_t rows;
};
struct sg_spread_classes {
    struct sg_spread_class *items; /* owned */
    size_t count, capacity;
};
/* Of all rows of the file that are of several GPUs. */
void sg_spread_classes_init(struct sg_spread_classes *classes, const struct sg_accepted_file *file);
/* Root mean square of the spreads of the row's class, ln; NaN where it has
 * none. `row`: of the file's table. */
double sg_spread_of_class(const struct sg_spread_classes *classes, const struct sg_accepted_file *file, const struct sg_row *row);

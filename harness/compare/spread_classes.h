/*
 * compare/spread_classes.h - how much GPUs differ in similar rows, from accepted numbers of several
 * GPUs (docs/method.md 5).
 *
 * Pure. A single row estimates the spread between k GPUs with k - 1 degrees of freedom, too few
 * with five GPUs. Rows of a class have a similar spread: same metric and family, and a baseline
 * time with the same power of ten. Invariant: rows from one GPU, and rows without a spread, belong
 * to no class.
 */
#pragma once

#include "compare/accepted_variance.h"
#include "results/accepted_file.h"

#define SG_CLASS_ROWS 3 /* fewer rows are not a class */

struct sg_spread_class {
    bool paired;
    sg_id family;
    int decade; /* of the time of the case's baseline: log10 ns, rounded down */
    double squares;
    size_t rows;
};
struct sg_spread_classes {
    struct sg_spread_class *items; /* owned */
    size_t count, capacity;
};
/* Builds the classes from all rows of the file that come from several GPUs. */
void sg_spread_classes_init(struct sg_spread_classes *classes, const struct sg_accepted_file *file);
/* Root mean square of the spreads of the row's class, ln; NaN if the row has no class. `row`: of
 * the file's table. */
double sg_spread_of_class(const struct sg_spread_classes *classes,
                          const struct sg_accepted_file *file, const struct sg_row *row);

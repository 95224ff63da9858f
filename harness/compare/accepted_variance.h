/*
 * compare/accepted_variance.h - how far an accepted number carries: to another night on its GPU,
 * and to another GPU of the model (docs/method.md 5).
 *
 * Pure. Two GPUs of one model differ by more than two nights on one of them, so where several GPUs
 * were accepted the GPU is the replicate, else the run. Invariant: a spread estimated from k
 * replicates has k - 1 degrees of freedom, and the error of their mean is a part of it; what only
 * usually holds is taken as known. Fewer than SG_REPLICATES_ENOUGH runs, or SG_UNITS_ENOUGH GPUs,
 * are never taken to differ by less than what usually holds. The spread between GPUs is drawn to
 * that of rows that are alike (compare/spread_classes.h).
 */
#pragma once

#include "results/env.h"
#include "results/accepted_file.h"
#include "stats/decision.h"

/* What stands in for a spread that accepted numbers do not have, ln. The GPUs' are of
 * latency-bound kernels (docs/validation.md). */
#define SG_DAY_RATIO_USUAL   0.001 /* of a paired ratio, between runs */
#define SG_DAY_TIME_USUAL    0.003 /* of an absolute time, between runs, at one clock */
#define SG_UNIT_RATIO_USUAL  0.010 /* of a paired ratio, between GPUs of one model */
#define SG_UNIT_TIME_USUAL   0.008 /* of an absolute time, between GPUs of one model, at one clock */
#define SG_CLASS_DF          4.0   /* of a row's class, beside the row's own: rows of one class differ in their spread themselves */
#define SG_REPLICATES_ENOUGH 5     /* so many runs show how runs differ: fewer may agree by chance */
#define SG_UNITS_ENOUGH      8     /* so many GPUs show how GPUs differ: fewer may all be of one kind */

/* Which GPU a run was made on; "unknown" where its env does not say. */
const char *sg_unit_of(const struct sg_env *run);

/* Where accepted numbers come from. */
struct sg_origin {
    size_t runs, units; /* 1 or more */
    bool has_unit;      /* the GPU they are asked about is among them */
};
/* `unit`: of sg_unit_of. A run taken as accepted is one run of its own GPU. */
struct sg_origin sg_origin_of(const struct sg_env *accepted, const char *unit);
/* The same of an item, which may be of others than the rest. */
struct sg_origin sg_origin_of_item(const struct sg_env *accepted, const char *unit, const struct sg_value *item);

struct sg_spread {
    double sd; /* ln, between replicates; NaN: not known */
    bool paired;
    struct sg_origin origin;
    double of_class; /* ln, between GPUs, of rows that are alike; 0 or NaN: not known */
};
/* The error of the accepted mean that comes of the spread, ln; 0 where that is not known. */
double sg_spread_of_mean(const struct sg_spread *spread);
/* Adds what one more replicate is off that mean by. */
void sg_errors_add_spread(struct sg_errors *errors, const struct sg_spread *spread);

/*
 * The tolerance that a later night of as many processes can resolve when nothing has changed, by
 * the errors that it will be judged with; the row's own at least. `processes`: of all accepted
 * runs. By the accepted side only: tonight's noise widens nothing. Ratio.
 */
double sg_allowance_of(const struct sg_accepted *accepted, double processes, const struct sg_spread *spread,
                       struct sg_bounds_by_df *bounds);

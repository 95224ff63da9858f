/*
 * compare/accepted_variance.h - how well accepted numbers carry over to another nightly run on the
 * same GPU, and to another GPU of the same model (docs/method.md 5).
 *
 * Pure. Two GPUs of one model differ more than two nightly runs on one GPU. So the replicate is the
 * GPU if several GPUs were accepted, and the run otherwise. Invariant: a spread estimated from k
 * replicates has k - 1 degrees of freedom, and includes the error of their mean. A usual spread
 * counts as known exactly. With fewer than SG_REPLICATES_ENOUGH runs, or SG_UNITS_ENOUGH GPUs, the
 * spread is never below the usual one. The spread between GPUs is shrunk towards that of similar
 * rows (compare/spread_classes.h).
 */
#pragma once

#include "results/accepted_file.h"
#include "results/units.h"
#include "stats/decision.h"

/* Default spreads, ln, for accepted numbers without their own. The GPU spreads are those of
 * latency-bound kernels (docs/validation.md). */
#define SG_DAY_RATIO_USUAL   0.001 /* paired ratio, between runs */
#define SG_DAY_TIME_USUAL    0.003 /* absolute time, between runs, at one clock */
#define SG_UNIT_RATIO_USUAL  0.010 /* paired ratio, between GPUs of one model */
#define SG_UNIT_TIME_USUAL   0.008 /* absolute time, between GPUs of one model, at one clock */
#define SG_CLASS_DF          4.0 /* degrees of freedom of a class spread; spreads vary within a class */
#define SG_REPLICATES_ENOUGH 5 /* fewer runs may agree by chance */
#define SG_UNITS_ENOUGH      8 /* fewer GPUs may all be of one kind */

/* Where accepted numbers come from. */
struct sg_origin {
    size_t runs, units; /* 1 or more */
    bool has_unit;      /* the GPU in question is among them */
};
/* `unit`: from sg_unit_of. A run used as accepted numbers counts as one run of its GPU. */
struct sg_origin sg_origin_of(const struct sg_env *accepted, const char *unit);
/* The same for a time or ratio of the file, which names its runs and GPUs itself. */
struct sg_origin sg_origin_of_row(const struct sg_accepted_file *file, const struct sg_row *row,
                                  const char *unit);

struct sg_spread {
    double sd; /* ln, between replicates; NaN: not known */
    bool paired;
    struct sg_origin origin;
    double of_class; /* ln, between GPUs, of similar rows; 0 or NaN: not known */
};
/* The part of the accepted mean's error due to the spread, ln; 0 if the spread is not known. */
double sg_spread_of_mean(const struct sg_spread *spread);
/* Adds the deviation of one more replicate from the accepted mean. */
void sg_errors_add_spread(struct sg_errors *errors, const struct sg_spread *spread);

/*
 * The tolerance, as a ratio, that a later nightly run with as many processes can resolve if nothing
 * changed, using the errors of its verdict. At least the row's own tolerance.
 * `processes`: total of all accepted runs. Only the accepted side counts: noise of the current run
 * must not widen a tolerance.
 */
double sg_allowance_of(const struct sg_accepted *accepted, double processes,
                       const struct sg_spread *spread, struct sg_bounds_by_df *bounds);

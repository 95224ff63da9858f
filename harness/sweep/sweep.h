/*
 * sweep/sweep.h - finds the best knobs for each case: the grid of a variant's knobs against the
 * variant's default (solgate run --sweep).
 *
 * There are three stages, each an ordinary run with its folder. Stage screen verifies every
 * configuration in a separate process, and times the correct ones in turns with the default, all in
 * one process. Stage choose measures the best few of a case in five processes. Stage confirm
 * measures the best one with as many fresh processes as the decision needs. Invariant: the reported
 * margin comes from the last stage, which took no part in the choice. A configuration that is
 * wrong, hangs, crashes or is refused affects no other.
 */
#pragma once

#include "run/execution.h"
#include "stats/abba.h"

#define SG_SWEEP_TRIES_MAX 1024 /* configurations of a variant over all its cases */
#define SG_SWEEP_FINALISTS 4    /* most per case */

#define SG_SWEEP_STAGE_TABLE(X)  \
    X(SG_SWEEP_SCREEN, "screen") \
    X(SG_SWEEP_CHOOSE, "choose") \
    X(SG_SWEEP_CONFIRM, "confirm")

enum sg_sweep_stage { SG_SWEEP_STAGE_TABLE(SG_CONSTANT) SG_SWEEP_STAGES };
const char *sg_sweep_stage_word(enum sg_sweep_stage stage);

struct sg_sweep_try {
    enum sg_sweep_stage reached; /* the last stage it takes part in */
    enum sg_status status;       /* of its verification, or of the time pass if that failed */
    char *message;               /* owned; NULL: none */
    /* ln of its time over the default's; n is 0 if not measured or failed */
    struct sg_estimate estimate[SG_SWEEP_STAGES];
};

struct sg_sweep_case {
    const char *name;           /* borrowed */
    struct sg_sweep_try *tries; /* owned; [0] is the default against itself */
    size_t count;
    /* number of cases confirmed together, including this case; 0 before the confirmation */
    size_t together;
};

#define SG_SWEEP_OUTCOME_TABLE(X)                                                                \
    X(SG_SWEEP_BEST, "best", "faster than the default, by processes that did not choose it")     \
    X(SG_SWEEP_NOT_CONFIRMED, "not_confirmed", "chosen, and not faster beyond doubt after that") \
    X(SG_SWEEP_FINALIST, "finalist", "one of the best few of the screening")                     \
    X(SG_SWEEP_SCREENED, "screened", "right, and timed in one process")                          \
    X(SG_SWEEP_OWN, "default", "what the variant takes where nothing is set")                    \
    X(SG_SWEEP_FAILED, "failed", "refused or broken: its status says how")

enum sg_sweep_outcome { SG_SWEEP_OUTCOME_TABLE(SG_CONSTANT) SG_SWEEP_OUTCOMES };
const char *sg_sweep_outcome_word(enum sg_sweep_outcome outcome);

/* Selects, after stage `done`, the configurations of each case for the next stage. */
void sg_sweep_select(struct sg_sweep_case *cases, size_t count, enum sg_sweep_stage done);
/* Returns true if the configuration is significantly faster alone, but not after the correction
 * for many cases. */
bool sg_sweep_is_one_of_many(const struct sg_sweep_case *c, size_t index);
enum sg_sweep_outcome sg_sweep_outcome(const struct sg_sweep_case *c, size_t index);
/* 0: the default stays. */
size_t sg_sweep_best(const struct sg_sweep_case *c);
/* Writes the indices of all configurations except the default, best first: by outcome, then by
 * the last stage with an estimate. */
void sg_sweep_rank(const struct sg_sweep_case *c, size_t *order);
/* Estimate of the last stage the configuration took part in; NULL: never timed. */
const struct sg_estimate *sg_sweep_estimate(const struct sg_sweep_try *one);

/* Values of configuration `index` of the grid, the last knob changing fastest; and the number of
 * configurations, SIZE_MAX on overflow. */
void sg_sweep_configuration(const struct sg_listed_variant *variant, size_t index, int64_t value[SG_MAX_KNOBS]);
size_t sg_sweep_configurations(const struct sg_listed_variant *variant);

/* Sweeps all variants of the run that have knobs, or the one named FAMILY/VARIANT. *exit_code is
 * that of `solgate run`. */
enum sg_code sg_sweep_run(const struct sg_run_options *options, const char *variant, int *exit_code, struct sg_err *err);

/*
 * sweep/sweep.h - which knobs are best, case by case? The grid of a variant's knobs against the
 * variant's default (solgate run --sweep).
 *
 * Three stages, each an ordinary run in a folder of its own. screen: every configuration is
 * verified in a process of its own, and those that are right are timed in turns with the own
 * choice, all in one process. choose: the best few of a case, five processes. confirm: the best of
 * only those, in as many fresh processes as it takes to decide. Invariant: the margin that is
 * told comes from the last stage, which took no part in the choosing, and what is wrong, hangs,
 * crashes or is refused costs itself.
 */
#pragma once

#include "run/execution.h"
#include "stats/abba.h"

#define SG_SWEEP_TRIES_MAX 1024 /* configurations of a variant, all its cases together */
#define SG_SWEEP_FINALISTS 4    /* of a case, at most */

#define SG_SWEEP_STAGE_TABLE(X)  \
    X(SG_SWEEP_SCREEN, "screen") \
    X(SG_SWEEP_CHOOSE, "choose") \
    X(SG_SWEEP_CONFIRM, "confirm")

enum sg_sweep_stage { SG_SWEEP_STAGE_TABLE(SG_CONSTANT) SG_SWEEP_STAGES };
const char *sg_sweep_stage_word(enum sg_sweep_stage stage);

/* One configuration in one case. */
struct sg_sweep_try {
    enum sg_sweep_stage reached;                  /* the last stage that it takes part in */
    enum sg_status status;                        /* of its verification, or of the time pass where that is where it failed */
    char *message;                                /* owned; NULL: none */
    struct sg_estimate estimate[SG_SWEEP_STAGES]; /* ln of its time over that of the default; n is 0 where it took no part or failed */
};

struct sg_sweep_case {
    const char *name;           /* borrowed */
    struct sg_sweep_try *tries; /* owned; [0] is the default, against itself */
    size_t count;
    size_t together; /* cases whose chosen ones are confirmed together, this one among them; 0 before that */
};

/* How a try came out. */
#define SG_SWEEP_OUTCOME_TABLE(X)                                                                \
    X(SG_SWEEP_BEST, "best", "faster than the default, by processes that did not choose it")     \
    X(SG_SWEEP_NOT_CONFIRMED, "not_confirmed", "chosen, and not faster beyond doubt after that") \
    X(SG_SWEEP_FINALIST, "finalist", "one of the best few of the screening")                     \
    X(SG_SWEEP_SCREENED, "screened", "right, and timed in one process")                          \
    X(SG_SWEEP_OWN, "default", "what the variant takes where nothing is set")                    \
    X(SG_SWEEP_FAILED, "failed", "refused or broken: its status says how")

enum sg_sweep_outcome { SG_SWEEP_OUTCOME_TABLE(SG_CONSTANT) SG_SWEEP_OUTCOMES };
const char *sg_sweep_outcome_word(enum sg_sweep_outcome outcome);

/* After a stage: which tries of each case take part in the next one. */
void sg_sweep_select(struct sg_sweep_case *cases, size_t count, enum sg_sweep_stage done);
/* Faster beyond doubt by itself, but not as one of so many? */
bool sg_sweep_is_one_of_many(const struct sg_sweep_case *c, size_t index);
enum sg_sweep_outcome sg_sweep_outcome(const struct sg_sweep_case *c, size_t index);
/* The one that is best; 0: the default stays. */
size_t sg_sweep_best(const struct sg_sweep_case *c);
/* Indices of all tries but the default, the best first: by outcome, then by the last
 * stage that they have an estimate of. */
void sg_sweep_rank(const struct sg_sweep_case *c, size_t *order);
/* Of the last stage that the try took part in; NULL: it was never timed. */
const struct sg_estimate *sg_sweep_estimate(const struct sg_sweep_try *one);

/* Values of configuration `index` of the grid, the last knob changing fastest; how many there
 * are, SIZE_MAX: beyond all numbers. */
void sg_sweep_configuration(const struct sg_listed_variant *variant, size_t index, int64_t value[SG_MAX_KNOBS]);
size_t sg_sweep_configurations(const struct sg_listed_variant *variant);

/* All variants of the run that have knobs, or the one that is named FAMILY/VARIANT.
 * *exit_code is that of `solgate run`. */
enum sg_code sg_sweep_run(const struct sg_run_options *options, const char *variant, int *exit_code, struct sg_err *err);

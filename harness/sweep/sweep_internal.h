/*
 * sweep/sweep_internal.h - shared by the files of a sweep: the configurations of a variant's cases,
 * and what each stage measured.
 *
 * sweep/sweep.c runs the stages, sweep/choose.c decides, and sweep/output.c writes. Invariant:
 * configuration 0 of each case is the variant with its own name and its default.
 */
#pragma once

#include "results/run_reader.h"
#include "run/sweep_plan.h"
#include "stats/abba.h"
#include "sweep/sweep.h"

enum { SG_SWEEP_CHOOSE, SG_SWEEP_CONFIRM, SG_SWEEP_STAGES };

/* One configuration of one case. */
struct sg_sweep_try {
    char *name, *knobs; /* owned; the variant's name in the stages; "KNOB=VALUE ...", "default" */
    enum sg_status status; /* of its verification, or of its timing if that failed */
    char *message;         /* owned; NULL: none */
    /* ln of its time over the default's; n is 0 if not measured, failed or refused */
    struct sg_estimate estimate[SG_SWEEP_STAGES];
};

struct sg_sweep_case {
    const struct sg_item *item;
    struct sg_sweep_try *tries; /* owned */
    size_t count;
    size_t chosen;   /* index of the configuration to confirm; 0: none, or it failed */
    size_t together; /* cases confirmed together, including this case; 0 before the confirmation */
};

/* A variant of the sweep. */
struct sg_swept {
    const struct sg_sweep *sweep;
    const struct sg_listed_family *family;
    const struct sg_listed_variant *variant;
    struct sg_sweep_case *cases; /* owned */
    size_t case_count;
    struct sg_env env; /* owned; of the last stage: GPU, driver, date */
};

struct sg_sweep {
    const struct sg_run_options *options;
    struct sg_text folder, command; /* of the whole sweep; command line without --out */
    uint64_t seed;                  /* of the first stage */
    struct sg_swept *variants;      /* owned; by family */
    size_t count;
};

/* Chooses, after the first stage, the configuration of each case that is confirmed. */
void sg_sweep_choose(struct sg_sweep_case *cases, size_t count);
/* True if the chosen configuration is significantly faster alone, but not after the correction for
 * many cases. */
bool sg_sweep_is_one_of_many(const struct sg_sweep_case *c);
/* 0: the default stays. */
size_t sg_sweep_best(const struct sg_sweep_case *c);
/* best, not_confirmed, tried, default or failed. */
const char *sg_sweep_outcome(const struct sg_sweep_case *c, size_t index);
/* Writes the indices of all configurations except the default, best first; failed ones last. */
void sg_sweep_rank(const struct sg_sweep_case *c, size_t *order);
/* Estimate of the last stage; NULL: never timed, or failed. */
const struct sg_estimate *sg_sweep_estimate(const struct sg_sweep_try *one);

#define SG_SWEEP_HEADER                                                            \
    "family,case,variant,configuration,knobs,outcome,status,message,choose_ratio," \
    "choose_low,choose_high,choose_n,confirm_ratio,confirm_low,confirm_high,confirm_n"
/* Add the rows of sweep.csv, the section of <family>.config, and the tables for people. */
void sg_sweep_add_csv(const struct sg_swept *swept, struct sg_text *out);
void sg_sweep_add_config(const struct sg_swept *swept, struct sg_text *out);
void sg_sweep_add_tables(const struct sg_swept *swept, struct sg_text *out);

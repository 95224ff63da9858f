/*
 * sweep/sweep_internal.h - shared by the files of a sweep: the variants, their configurations and
 * cases, and the folder.
 *
 * sweep/sweep.c loops over the variants, sweep/stage.c runs a stage and stores its values,
 * sweep/select.c decides, and sweep/output.c writes. Invariant: configuration 0 of each case is the
 * variant with its original name and its default.
 */
#pragma once

#include "results/env.h"
#include "run/execution.h"
#include "stats/abba.h"
#include "sweep/sweep.h"

#define SG_SWEEP_TRIES_MAX 1024 /* configurations of a variant over all its cases */
#define SG_SWEEP_FINALISTS 4    /* most per case */

enum sg_sweep_stage { SG_SWEEP_SCREEN, SG_SWEEP_CHOOSE, SG_SWEEP_CONFIRM, SG_SWEEP_STAGES };

struct sg_sweep_configuration {
    struct sg_listed_variant
        called;  /* the variant; only the name is the configuration's, and owned */
    char *knobs; /* owned; "KNOB=VALUE KNOB=VALUE", or "default" */
};

/* One configuration of one case. */
struct sg_sweep_try {
    enum sg_sweep_stage reached; /* the last stage it takes part in */
    enum sg_status status;       /* of its verification, or of the time pass if that failed */
    char *message;               /* owned; NULL: none */
    /* ln of its time over the default's; n is 0 if not measured or failed */
    struct sg_estimate estimate[SG_SWEEP_STAGES];
};

struct sg_sweep_case {
    const struct sg_listed_case *listed;
    struct sg_sweep_try *tries; /* owned; [0] is the default against itself */
    size_t count;
    size_t chosen;   /* index of the confirmed configuration; 0: none, or it failed */
    size_t together; /* cases confirmed together, including this case; 0 before the confirmation */
};

/* A variant of the sweep. */
struct sg_swept {
    struct sg_sweep *sweep;
    const struct sg_listed_family *family;
    const struct sg_listed_variant *variant;
    struct sg_sweep_configuration *configurations; /* owned */
    size_t count;                                  /* configurations including the default */
    struct sg_sweep_case *cases;                   /* owned */
    size_t case_count;
    struct sg_env env; /* owned; from the last stage's run: GPU, driver, date */
};

struct sg_sweep {
    const struct sg_run_options *options; /* options of the command */
    struct sg_run_inputs inputs;
    struct sg_run_plan whole; /* plan of a run without --sweep: its items select the variants */
    struct sg_text folder,
        command;               /* folder of the whole sweep; command line that repeats the sweep */
    uint64_t seed;             /* seed of the first stage; a resumed run supplies it */
    bool begun;                /* true if a stage has its folder, where --resume continues */
    struct sg_swept *variants; /* owned; by family */
    size_t count;
};

/* Runs the configurations that reached the stage, in <folder>/<family>/<variant>/<stage>. Does
 * nothing if none did. */
enum sg_code sg_sweep_stage_run(struct sg_swept *swept, enum sg_sweep_stage which,
                                struct sg_err *err);

/* Selects, after stage `done`, the configurations of each case for the next stage. */
void sg_sweep_select(struct sg_sweep_case *cases, size_t count, enum sg_sweep_stage done);
/* Returns true if the chosen configuration is significantly faster alone, but not after the
 * correction for many cases. */
bool sg_sweep_is_one_of_many(const struct sg_sweep_case *c);
/* 0: the default stays. */
size_t sg_sweep_best(const struct sg_sweep_case *c);
/* Returns one of the words in docs/formats.md. */
const char *sg_sweep_outcome(const struct sg_sweep_case *c, size_t index);
/* Writes the indices of all configurations except the default, best first: by the last stage, then
 * by its estimate; failed ones last. */
void sg_sweep_rank(const struct sg_sweep_case *c, size_t *order);
/* Estimate of the last stage the configuration took part in; NULL: never timed, or failed. */
const struct sg_estimate *sg_sweep_estimate(const struct sg_sweep_try *one);

/* Formats configuration `index` of the grid, the last knob changing fastest; and the number of
 * configurations, SIZE_MAX on overflow. */
void sg_sweep_add_knobs(const struct sg_listed_variant *variant, size_t index, struct sg_text *out);
size_t sg_sweep_configurations(const struct sg_listed_variant *variant);

#define SG_SWEEP_HEADER                                                                         \
    "family,case,variant,configuration,knobs,outcome,status,message,screen_ratio,choose_ratio," \
    "choose_low,choose_high,choose_n,"                                                          \
    "confirm_ratio,confirm_low,confirm_high,confirm_n"
/* Add the rows of sweep.csv, and the section of <family>.config. */
void sg_sweep_add_csv(const struct sg_swept *swept, struct sg_text *out);
void sg_sweep_add_config(const struct sg_swept *swept, struct sg_text *out);
/* Adds the tables for people. Draws the chart of the variant in charts/ next to its stages, and
 * adds where the chart is, or why there is none; a failure is not an error. */
void sg_sweep_show(const struct sg_swept *swept, struct sg_text *out);

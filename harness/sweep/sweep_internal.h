/*
 * sweep/sweep_internal.h - shared by the files of a sweep: one variant, its cases and
 * configurations, and the folder.
 *
 * sweep/sweep.c loops over the variants, sweep/stage.c runs a stage and stores its values,
 * sweep/select.c decides, and sweep/output.c writes. Invariant: called[i] is configuration i of
 * each case, and called[0] is the variant with its original name.
 */
#pragma once

#include "results/env.h"
#include "sweep/sweep.h"

struct sg_sweep {
    const struct sg_run_options *options; /* options of the command */
    const struct sg_run_plan *whole;      /* plan of the whole run, not executed */
    /* folder of the whole sweep; command line that repeats it */
    const char *folder, *command;
    const struct sg_listed_family *family;
    const struct sg_listed_variant *variant;
    /* owned, with their names; other pointers are the variant's */
    struct sg_listed_variant *called;
    size_t called_count;         /* configurations including the default */
    struct sg_sweep_case *cases; /* owned */
    const struct sg_listed_case **listed;
    size_t case_count;
    bool begun;        /* true if a stage has its folder, where --resume continues */
    struct sg_env env; /* from the last stage's run: GPU, driver, date */
    uint64_t seed;     /* seed of the first stage; a resumed run supplies it */
};

/* Runs the configurations that reached the stage, in <folder>/<family>/<variant>/<stage>. Does
 * nothing if none did. */
enum sg_code sg_sweep_stage_run(struct sg_sweep *sweep, enum sg_sweep_stage which, struct sg_err *err);

#define SG_SWEEP_HEADER                                                                                                         \
    "family,case,variant,configuration,knobs,outcome,status,message,screen_ratio,choose_ratio,choose_low,choose_high,choose_n," \
    "confirm_ratio,confirm_low,confirm_high,confirm_n"
/* Add the rows of sweep.csv, the tables for people, and the sections of <family>.config. */
void sg_sweep_add_csv(const struct sg_sweep *sweep, struct sg_text *out);
void sg_sweep_add_tables(const struct sg_sweep *sweep, struct sg_text *out);
void sg_sweep_add_config(const struct sg_sweep *sweep, struct sg_text *out);
/* Draws the chart of the variant in charts/ next to its stages. Adds where the chart is, or why
 * there is none; a failure is not an error. */
void sg_sweep_draw(const struct sg_sweep *sweep, struct sg_text *out);

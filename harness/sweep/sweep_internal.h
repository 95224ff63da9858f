/*
 * sweep/sweep_internal.h - what the files of a sweep share: one variant, its cases
 * and configurations, and the folder.
 *
 * sweep/sweep.c goes from variant to variant, sweep/stage.c makes a stage's run and takes its
 * values, sweep/select.c decides by them, and sweep/output.c writes. Invariant: called[i] is
 * configuration i of each case, and called[0] the variant by its own name.
 */
#pragma once

#include "results/env.h"
#include "sweep/sweep.h"

struct sg_sweep {
    const struct sg_run_options *options; /* of the command */
    const struct sg_run_plan *whole;      /* of everything; it is not executed itself */
    const char *folder, *command;         /* of all of it; what to type to do it again */
    const struct sg_listed_family *family;
    const struct sg_listed_variant *variant;
    struct sg_listed_variant *called; /* owned, as are their names; the rest is the variant's */
    size_t called_count;              /* configurations and the default */
    struct sg_sweep_case *cases;      /* owned */
    const struct sg_listed_case **listed;
    size_t case_count;
    bool begun;        /* does a stage have its folder, which --resume goes on with? */
    struct sg_env env; /* of the last stage's run: GPU, driver, date */
    uint64_t seed;     /* of the first stage; one that is taken up says which it was */
};

/* A run of the tries that reached it, in
 * <folder>/<family>/<variant>/<stage>; nothing where none did. */
enum sg_code sg_sweep_stage_run(struct sg_sweep *sweep, enum sg_sweep_stage which, struct sg_err *err);

#define SG_SWEEP_HEADER                                                                                                         \
    "family,case,variant,configuration,knobs,outcome,status,message,screen_ratio,choose_ratio,choose_low,choose_high,choose_n," \
    "confirm_ratio,confirm_low,confirm_high,confirm_n"
/* The rows of sweep.csv, the tables for people, and the sections of <family>.config. */
void sg_sweep_add_csv(const struct sg_sweep *sweep, struct sg_text *out);
void sg_sweep_add_tables(const struct sg_sweep *sweep, struct sg_text *out);
void sg_sweep_add_config(const struct sg_sweep *sweep, struct sg_text *out);
/* The chart of the variant, in charts/ beside its stages. What is said of it: where it is, or why
 * there is none, which costs nothing else. */
void sg_sweep_draw(const struct sg_sweep *sweep, struct sg_text *out);

/*
 * run/sweep_plan.h - turns the plan of a run into one of a sweep: the items are one variant with
 * different knobs, paired with its default.
 *
 * A configuration is called VARIANT_cNNN, and the default VARIANT. The name of configuration
 * `index` of the grid ends in index + 1.
 */
#pragma once

#include "run/run_plan.h"

#define SG_SWEEP_CONFIGURATIONS_MAX 1024 /* limit for a variant over all its cases */

struct sg_sweep_stage {
    const char *word;            /* the stage's name in env.csv */
    const char *variant;         /* the run's filters select its family */
    const char *command;         /* arguments that repeat the whole sweep, without --out */
    const char *folder;          /* the whole sweep's folder */
    const struct sg_names *only; /* CASE/NAME of configurations; NULL: the whole grid */
    unsigned processes;          /* 0: as many as the decision needs */
    unsigned blocks;             /* minimum number of a process; 0: the suite's */
    double tolerance;            /* ratio; 0: the suite's */
};

enum sg_code sg_sweep_plan_make(const struct sg_sweep_stage *stage, struct sg_suite *suite,
                                struct sg_run_plan *plan, struct sg_err *err);

/* Number of configurations; SIZE_MAX on overflow. */
size_t sg_sweep_configurations(const struct sg_listed_variant *variant);
/* Appends the knobs or the name of configuration `index`; the last knob changes fastest. */
void sg_sweep_add_knobs(const struct sg_listed_variant *variant, size_t index, struct sg_text *out);
void sg_sweep_add_name(const struct sg_listed_variant *variant, size_t index, struct sg_text *out);

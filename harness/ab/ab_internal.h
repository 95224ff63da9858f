/*
 * ab/ab_internal.h - a gate of modules: the two sides, the cases, their pairs.
 *
 * ab/plan_sides.c finds the two sides and makes the plan; ab/engine_modules.c measures, and turns
 * cases to rows of the gate. Invariant: the steps of a case are adjacent, the baseline first.
 */
#pragma once

#include "ab/gate.h"
#include "results/env.h"
#include "results/validity.h"
#include "run/execution.h"
#include "stats/aa_check.h"

struct sg_ab_side {
    char *module;        /* owned; path; "" while unknown */
    char *family, *name; /* owned */
    char *label;         /* owned; NAME, or NAME_base for a baseline of another file */
    const struct sg_listed_family *listed; /* borrowed from a listing */
    struct sg_listed_variant variant; /* for the execution; borrows from the listing and label */
    enum sg_status declared;          /* status that its source declares */
};

struct sg_ab_case {
    const struct sg_step *baseline, *candidate; /* equal if the sides are the same variant */
    size_t pair;                                /* index in gate.pairs; SG_NO_PAIR: none */
};

struct sg_ab {
    const struct sg_ab_options *options;
    struct sg_gate gate;
    struct sg_run_options run_options;
    struct sg_run_plan plan;
    struct sg_run_log sink;
    struct sg_execution execution;
    struct sg_suite suite;
    struct sg_module_list mine, theirs; /* the candidate's; the baseline's, if another file */
    struct sg_ab_side baseline, candidate;
    bool same_thing;          /* both sides are one variant of one file */
    struct sg_ab_case *cases; /* owned */
    size_t case_count;
    size_t *step_of_pair; /* owned; parallel to gate.pairs */
    struct sg_aa_check calibration;
    struct sg_validity conditions;
};

/* Finds the sides and listings and makes the plan. */
enum sg_code sg_ab_plan(struct sg_ab *ab, struct sg_err *err);
void sg_ab_take_steps(struct sg_ab *ab); /* from the execution: both steps of each case */

/* Compares programs; `options->out` is the folder. SG_UNDECLARED: a program failed. */
enum sg_code sg_ab_programs_run(const struct sg_ab_options *options, int *exit_code,
                                struct sg_err *err);

extern const struct sg_gate_engine sg_ab_modules; /* gate.context is the struct sg_ab */

/*
 * ab/ab_internal.h - shared by the files of `solgate ab`: the two sides, the cases, their pairs.
 *
 * ab/plan_sides.c finds the two sides and makes the plan. ab/measure.c measures until the pairs are
 * decided. ab/verdicts.c turns the decisions into findings. ab/ab.c calls them in this order.
 * Invariant: the steps of a case are adjacent, the baseline first.
 */
#pragma once

#include "ab/ab.h"
#include "compare/compare.h"
#include "results/env.h"
#include "results/validity.h"
#include "run/execution.h"
#include "stats/aa_check.h"
#include "stats/sequential.h"

struct sg_ab_side {
    char *module;        /* owned; path; "" while unknown */
    char *family, *name; /* owned */
    char *label;         /* owned; NAME, or NAME_base for a baseline of another file */
    const struct sg_listed_family *listed; /* borrowed from a listing */
    struct sg_listed_variant variant; /* for the execution; borrows from the listing and label */
    enum sg_status declared;          /* status that its source declares */
};

/* One case. Indices into engine.pairs; SIZE_MAX: no such pair. */
struct sg_ab_case {
    const struct sg_step *baseline, *candidate; /* equal if the sides are the same variant */
    size_t pair, aa;                            /* candidate and baseline; A/A; may be equal */
};

struct sg_ab {
    const struct sg_ab_options *options;
    struct sg_run_options run_options;
    struct sg_run_plan plan;
    struct sg_run_log sink;
    struct sg_execution execution;
    struct sg_suite suite;
    struct sg_module_list mine, theirs; /* of the candidate; of the baseline, if another file */
    struct sg_ab_side baseline, candidate;
    bool same_thing;          /* one variant of one file */
    struct sg_ab_case *cases; /* owned */
    size_t case_count;
    struct sg_sequential engine; /* owned pairs */
    size_t *step_of_pair;        /* owned */
    struct sg_aa_check calibration;
    struct sg_validity conditions;
};

/* Finds the sides and listings and makes the plan. */
enum sg_code sg_ab_plan(struct sg_ab *ab, struct sg_err *err);
void sg_ab_take_steps(struct sg_ab *ab); /* from the execution: both steps of each case */
/* Makes the pairs of verified steps, measures them until all are decided, and calibrates. */
enum sg_code sg_ab_measure(struct sg_ab *ab, struct sg_err *err);
/* True if the candidate was verified by looser terms than the baseline. Adds a finding for each
 * such term. `comparison` may be NULL. */
bool sg_ab_other_terms(const struct sg_ab *ab, const struct sg_ab_case *c,
                       struct sg_comparison *comparison);
/* Adds the findings of all cases, in order. The comparison borrows names from `ab`. */
void sg_ab_judge(const struct sg_ab *ab, struct sg_comparison *comparison);
/* Call when the run is finished. A verdict becomes invalid if either side's time is physically
 * impossible. */
void sg_ab_refuse(const struct sg_ab *ab, struct sg_comparison *comparison);

/* True if the step is the same code as its baseline: the same step, or the same name and identity
 * (results/identity.h). */
bool sg_ab_is_identical(const struct sg_ab *ab, const struct sg_step *step);
/* True if both sides of the pair are the same code. */
bool sg_ab_is_even(const struct sg_ab *ab, size_t pair);

/* ---- shared by the gate of programs (ab/programs.c) and the gate of modules ---- */

/* Sets adjusted[pair] to Holm's p-value for the pairs that are judged together, and to 1 for
 * others. Returns the number of pairs that are judged together. */
size_t sg_ab_adjust(const struct sg_sequential *engine, double *adjusted);
/* Fills in the finding's numbers; its verdict is already set. */
void sg_ab_take_pair(struct sg_finding *finding, const struct sg_sequential_pair *pair);
/* Adds how much slower or faster, or what would decide the pair. Adds nothing for other
 * verdicts. */
void sg_ab_describe(const struct sg_sequential_pair *pair, enum sg_verdict verdict,
                    const char *base, struct sg_text *why);
/* Warns if the processes are not independent; the interval assumes independence. */
void sg_ab_note_dependence(const struct sg_sequential_pair *pair, struct sg_text *why);
void sg_ab_add(struct sg_comparison *comparison, const struct sg_finding *finding);

struct sg_ab_result {
    const struct sg_ab_options *options;
    const struct sg_comparison *comparison;
    const char *folder;
    const struct sg_catalogue *catalogue;
    const struct sg_env *env;
    const char *note;
};
/* Writes the result to stdout in the options' format, and into the folder. */
enum sg_code sg_ab_print(const struct sg_ab_result *result, struct sg_err *err);

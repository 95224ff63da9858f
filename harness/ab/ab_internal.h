/*
 * ab/ab_internal.h - what the files of `solgate ab` share: the two sides, the cases, their pairs.
 *
 * ab/plan_sides.c finds the two sides and makes a plan of them, ab/measure.c has the engine decide
 * its pairs, ab/verdicts.c turns what was decided into findings, ab/ab.c does one after
 * the other. Invariant: the steps of a case stand together, its baseline first.
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
    char *module;                          /* owned; path; "" while not known */
    char *family, *name;                   /* owned */
    char *label;                           /* owned; what it is called: NAME, or NAME_base for a baseline of another module file */
    const struct sg_listed_family *listed; /* borrowed from a listing */
    struct sg_listed_variant variant;      /* as the execution is to see it; its strings are the listing's or label */
    enum sg_status declared;               /* what its source expects of it */
};

/* One case. Indices into engine.pairs; SIZE_MAX: there is no such pair. */
struct sg_ab_case {
    const struct sg_step *baseline, *candidate; /* the same step when both are the same thing */
    size_t pair, aa;                            /* candidate against baseline, baseline against itself; may be one */
};

struct sg_ab {
    const struct sg_ab_options *options;
    struct sg_run_options run_options;
    struct sg_run_plan plan;
    struct sg_run_log sink;
    struct sg_execution execution;
    struct sg_suite suite;
    struct sg_module_list mine, theirs; /* the candidate's module; the baseline's, when it is a file of its own */
    struct sg_ab_side baseline, candidate;
    bool same_thing;          /* one variant of one file */
    struct sg_ab_case *cases; /* owned */
    size_t case_count;
    struct sg_sequential engine; /* pairs owned */
    size_t *step_of_pair;        /* owned */
    struct sg_aa_check calibration;
    struct sg_validity conditions;
};

/* Sides, listings and plan. */
enum sg_code sg_ab_plan(struct sg_ab *ab, struct sg_err *err);
void sg_ab_take_steps(struct sg_ab *ab); /* of the execution: both of each case */
/* Of verified steps: which pairs there are; measures them until all are decided, and calibrates. */
enum sg_code sg_ab_measure(struct sg_ab *ab, struct sg_err *err);
/* Was the candidate found right by looser terms than the baseline? Adds a finding for each of them;
 * `comparison` may be NULL. */
bool sg_ab_other_terms(const struct sg_ab *ab, const struct sg_ab_case *c, struct sg_comparison *comparison);
/* Findings of all cases, in their order. The comparison borrows names from `ab`. */
void sg_ab_judge(const struct sg_ab *ab, struct sg_comparison *comparison);
/* When the run is finished: a verdict on a pair of which either side cannot be becomes invalid. */
void sg_ab_refuse(const struct sg_ab *ab, struct sg_comparison *comparison);

/* Is the step the same as its baseline: one and the same thing, or of the same name and made of the
 * same (results/identity.h)? */
bool sg_ab_is_identical(const struct sg_ab *ab, const struct sg_step *step);
/* Is the pair one of the same on both sides? */
bool sg_ab_is_even(const struct sg_ab *ab, size_t pair);

/* ---- what a gate of programs (ab/programs.c) shares with one of modules ---- */

/* adjusted[pair] for the pairs of an engine that are judged together, by Holm; 1 for all others.
 * Returns how many those are. */
size_t sg_ab_adjust(const struct sg_sequential *engine, double *adjusted);
/* The numbers of the finding, whose verdict is there. */
void sg_ab_take_pair(struct sg_finding *finding, const struct sg_sequential_pair *pair);
/* In words: slower, faster, or what would settle it; nothing for other verdicts. */
void sg_ab_describe(const struct sg_sequential_pair *pair, enum sg_verdict verdict, const char *base, struct sg_text *why);
/* Where the processes are not independent, which the interval takes them to be. */
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
/* To stdout by the options' format, and into the folder. */
enum sg_code sg_ab_print(const struct sg_ab_result *result, struct sg_err *err);

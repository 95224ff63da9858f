/*
 * baseline/accept.h - turns runs into accepted numbers.
 *
 * Pure except for reading samples: tables in, a baseline and a list of changes out. Several runs of
 * one suite on one GPU model give what a single run cannot: the spread between runs, or between
 * their GPUs (sd_day). Clock sensitivity (beta) and the spread between processes come from the
 * batches in samples.csv. Invariant: no number gets worse without a reason. Worse is a gated row
 * that is slower by more than its tolerance, or a status that was ok.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "results/samples.h"
#include "results/units.h"

/* A run to accept. samples may be NULL: then beta is unknown, and the spread of processes comes
 * from the run's intervals. */
struct sg_accept_run {
    const char *path; /* for messages */
    const struct sg_table *table;
    const struct sg_env *env;
    const struct sg_samples *samples;
    const struct sg_units *units; /* its GPUs; NULL: not known */
};

/* Items, FAMILY/CASE/VARIANT, that may fail for the reason in the options. */
struct sg_accept_waivers {
    const char *const *items; /* borrowed */
    size_t count;
    const char *until; /* last day, 2026-12-31; NULL: SG_WAIVER_DAYS after the last run */
};

struct sg_accept_options {
    const struct sg_accept_run *runs;
    size_t run_count;                   /* >= 1; the last run supplies the env */
    const struct sg_accepted_file *old; /* NULL: nothing accepted yet */
    const struct sg_catalogue *catalogue;
    const char *reason; /* NULL: none given */
    bool prune;         /* drop variants that no run has */
    struct sg_accept_waivers waive;
    bool is_provisional; /* a single run replaces accepted numbers; variants may have failed */
};

/* Text of one change. */
struct sg_accept_line {
    char *text;    /* owned */
    double harm;   /* see sg_accept_change */
    size_t number; /* position in the table */
    bool is_worse, is_shown, has_reason;
};

/* Result of accepting: one line per change for people, the worst first, and whether a change
 * needs a reason. */
struct sg_accept_report {
    struct sg_text changes;
    size_t added, removed, changed, worse;
    size_t unexplained;           /* worse changes without a reason */
    size_t ungated;               /* deciding rows too noisy for any tolerance that may gate */
    size_t units;                 /* GPUs of the runs */
    struct sg_accept_line *lines; /* owned; source of `changes` */
    size_t line_count, line_capacity;
};

/* SG_NOT_COMPARABLE: the numbers have another value of this key than the run. */
enum sg_code sg_accept_fail_other(const struct sg_accepted_file *old, const char *key,
                                  const char *is, const char *was, struct sg_err *err);

/* SG_NOT_COMPARABLE: the runs differ in GPU, driver branch, schema, suite or L2 state. Or a row of
 * another driver branch would stay. SG_INVALID: a variant is ok in one run but not in another, or
 * samples belong to another run. SG_UNDECLARED: a variant is not what its source declares, and is
 * not waived. SG_BAD_USAGE: a change for the worse without a reason, a run given twice, or a waiver
 * for an item outside of the runs. */
enum sg_code sg_accept_runs(const struct sg_accept_options *options, struct sg_accepted_file *fresh,
                            struct sg_accept_report *report, struct sg_err *err);

/* Uses a finished run as accepted numbers, with the tolerances that its spread allows. `run` is
 * left empty. SG_INVALID if its times are invalid. */
enum sg_code sg_accepted_from_run(struct sg_run *run, const struct sg_catalogue *catalogue,
                                  struct sg_accepted_file *accepted, struct sg_err *err);

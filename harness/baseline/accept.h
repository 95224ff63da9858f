/*
 * baseline/accept.h - runs become accepted numbers.
 *
 * Pure but for the reading of samples: tables in, a baseline and a list of what changes out.
 * From several runs of one suite on one GPU model it estimates what a single run cannot show:
 * the spread between runs, or between the GPUs that they were made on (sd_day). Clock
 * sensitivity (beta) and the spread between processes come from the batches in samples.csv.
 * Invariant: no number gets worse without a reason: a gated row that is slower by more than its
 * tolerance, or a status that was ok.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "results/samples.h"

/* A run to accept. samples may be NULL: then beta stays unknown and the spread of
 * processes comes from the run's intervals. */
struct sg_accept_run {
    const char *path; /* for messages */
    const struct sg_table *table;
    const struct sg_env *env;
    const struct sg_samples *samples;
};

/* Items, FAMILY/CASE/VARIANT, that may be other than green for the reason of the options. */
struct sg_accept_waivers {
    const char *const *items; /* borrowed */
    size_t count;
    const char *until; /* last day, 2026-12-31; NULL: SG_WAIVER_DAYS after the last run */
};

struct sg_accept_options {
    const struct sg_accept_run *runs;
    size_t run_count;                   /* >= 1; the last one gives the env */
    const struct sg_accepted_file *old; /* NULL: there is none yet */
    const struct sg_catalogue *catalogue;
    const char *reason; /* NULL: none given */
    bool prune;         /* drop variants that none of the runs has */
    struct sg_accept_waivers waive;
    bool stands_in; /* one run, for which numbers are to be had in passing: whatever came of its variants */
};

/* One change in words. */
struct sg_accept_line {
    char *text;    /* owned */
    double harm;   /* as of sg_accept_change */
    size_t number; /* in the order of the table */
    bool is_worse, is_shown, has_reason;
};

/* What accepting does: a line a change for people, the worst first, and
 * whether any of them needs a reason. */
struct sg_accept_report {
    struct sg_text changes;
    size_t added, removed, changed, worse;
    size_t unexplained;           /* of those that are worse: without a reason of their own */
    size_t ungated;               /* deciding rows that are too noisy for any tolerance that may gate */
    size_t units;                 /* GPUs that the runs are of */
    struct sg_accept_line *lines; /* owned; what `changes` is made of */
    size_t line_count, line_capacity;
};
void sg_accept_report_release(struct sg_accept_report *report);

/*
 * SG_NOT_COMPARABLE when the runs are not of one GPU, driver branch, schema, suite and
 * L2 state, or the old baseline is of another GPU or suite, or a row of it would stay
 * that is of another driver branch;
 * SG_INVALID when a variant is ok in one run and not in another, or
 * samples are not those of the run;
 * SG_UNDECLARED when a variant is not what its source declares, and is not waived;
 * SG_BAD_USAGE when something gets worse and there is no reason, the same run is there twice, or a
 * waiver is of no item of the runs.
 */
enum sg_code sg_baseline_accept(const struct sg_accept_options *options, struct sg_accepted_file *fresh, struct sg_accept_report *report,
                                struct sg_err *err);

/*
 * A finished run, taken as accepted, with the tolerances that its own spread allows; `run` is left
 * empty. SG_INVALID when its times must not be believed.
 */
enum sg_code sg_baseline_from_run(struct sg_run *run, const struct sg_catalogue *catalogue, struct sg_accepted_file *accepted,
                                  struct sg_err *err);

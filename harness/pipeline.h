/*
 * pipeline.h - one run: list, plan, then verify, time and count each item in worker processes, then what follows from the files.
 *
 * Steps remember what is done; a phase does only what is not. Everything that was found out goes to the run's folder at once, and what
 * is computed at the end is computed from the files: so a run that was killed and taken up again ends in the same bytes.
 * Invariant: an item whose variant fails costs that item alone.
 */
#ifndef SG_PIPELINE_H
#define SG_PIPELINE_H

#include "catalogue.h"
#include "messages.h"
#include "plan.h"
#include "progress.h"
#include "run_folder.h"
#include "worker.h"

#define SG_JOBS_MAX 16

struct sg_run_options {
    const char *suite;
    const char *out; /* NULL: out/<suite>-<date> */
    struct sg_filters filters;
    struct sg_names metrics; /* empty: the suite's */
    struct sg_names modules;
    uint64_t gpu, seed, jobs;
    bool seed_given, resume;
};

/* What is known of one item. */
struct sg_step {
    struct sg_item item;
    bool verified, counted;
    enum sg_status status; /* of the verification, or of the time pass if that is where it failed */
    char *message;         /* owned; why */
    uint64_t processes;    /* bit p: its visits in process p are there */
    bool has_kernels;      /* a row `kernels` is there */
};

struct sg_pipeline {
    const struct sg_run_options *options;
    struct sg_suite suite;
    struct sg_listing listing;
    struct sg_catalogue catalogue;
    const struct sg_metric **metrics; /* what the count pass is asked for */
    size_t metric_count;
    struct sg_plan plan;
    struct sg_step *steps; /* one an item of the plan */
    struct sg_run_folder folder;
    struct sg_progress progress;
    uint64_t seed;
    bool env_changed;
};

/* *exit_code is the summary's, which goes to stdout. */
enum sg_code sg_pipeline_run(const struct sg_run_options *options, int *exit_code, struct sg_err *err);

/* The phases. */
enum sg_code sg_pipeline_verify(struct sg_pipeline *pipeline, struct sg_err *err);
enum sg_code sg_pipeline_time(struct sg_pipeline *pipeline, struct sg_err *err);
enum sg_code sg_pipeline_count(struct sg_pipeline *pipeline, struct sg_err *err);
enum sg_code sg_pipeline_finish(struct sg_pipeline *pipeline, struct sg_err *err);
/* Prints it. *exit_code: 5 when a variant that should be correct is not, else 0. */
enum sg_code sg_pipeline_summary(const struct sg_pipeline *pipeline, int *exit_code, struct sg_err *err);

/* What the phases share. */

/* A worker's arguments. */
struct sg_args {
    char **items; /* owned; NULL-terminated */
    size_t count, capacity;
};
void sg_args_add(struct sg_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sg_args_release(struct sg_args *args);
/* The worker, --pass, --seed and --gpu. */
void sg_args_begin(struct sg_args *args, const struct sg_pipeline *pipeline, const char *pass);
void sg_args_item(struct sg_args *args, const struct sg_item *item);

/* An `env` line of a worker for this family's kind of device. SG_NOT_COMPARABLE when it is another GPU or driver than the run's. */
enum sg_code sg_pipeline_take_env(struct sg_pipeline *pipeline, bool needs_gpu, const struct sg_message *message, struct sg_err *err);
/* Is the message about this item? SG_INVALID if not. */
enum sg_code sg_item_check(const struct sg_item *item, const struct sg_message *message, struct sg_err *err);
/* A row with no number in it. */
void sg_item_row(struct sg_table *batch, const struct sg_item *item, const char *metric, const char *unit, enum sg_status status,
                 const char *message);
const struct sg_step *sg_pipeline_baseline(const struct sg_pipeline *pipeline, const struct sg_step *step);

/* How an outcome is to be taken. */
enum sg_outcome {
    SG_AS_IT_SHOULD, /* as `expect` says, or refused with a reason */
    SG_MISSES,       /* not here: unavailable */
    SG_MENDS,        /* passes, and was expected to fail */
    SG_OTHERWISE,    /* fails, but not in the way it was expected to */
    SG_FAILS,        /* should be correct and is not */
};
enum sg_outcome sg_step_outcome(const struct sg_step *step);

#endif

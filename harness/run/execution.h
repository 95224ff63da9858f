/*
 * run/execution.h - executes a plan: verifies, times and counts its items in worker processes, and
 * computes the derived rows.
 *
 * Each item is a step that records its results; a phase does only the remaining work. Results are
 * written to the sink at once. Invariant: a run that was killed and resumed ends in the same bytes,
 * and a failing variant affects only its own item.
 *
 *     struct sg_run_log sink;
 *     struct sg_execution e;
 *     sg_run_log_init(&sink);
 *     sg_execution_init(&e, &options, &plan, &sink);
 *     if (sg_execution_open(&e, err) == SG_SUCCESS)     without it nothing is written to a folder
 *         sg_execution_run(&e, err);
 *     sg_execution_release(&e);
 */
#pragma once

#include "process/standby.h"
#include "results/pair_samples.h"
#include "run/progress.h"
#include "run/run_plan.h"
#include "results/run_log.h"
#include "stats/sequential.h"

/* State of one item. */
struct sg_step {
    const struct sg_item *item;     /* belongs to the plan */
    const struct sg_step *baseline; /* its baseline, perhaps itself; NULL: not timed */
    bool verified, counted;
    bool passed;           /* passed verification, whatever happened later */
    enum sg_status status; /* outcome of the verification, or of a failed time pass */
    char *message;         /* owned; reason of `status` */
    char *where;           /* owned; error signature of its outputs; NULL: unknown */
    char *identity;        /* owned; code identity (results/identity.h); NULL: unknown */
    unsigned most;         /* maximum number of processes; 0: as many as the others */
    bool skips_timing;     /* same code as accepted: not timed or counted here */
    uint64_t processes;    /* bit p: the batches of process p are complete */
    struct sg_process_result *results; /* owned; result of process p where bit p is set */
    size_t results_capacity;
    struct sg_estimate estimate; /* of its ratio, set when the run is finished; n 0: none */
    bool has_kernels;            /* has a row `kernels` */
    enum sg_status count_status; /* outcome of its count pass */
    char *host_bound;            /* owned; message of SG_HOST_BOUND_METRIC; NULL: no row */
    char *count_message;         /* owned; reason; NULL if count_status is SG_OK */
    char *first_failure; /* owned; first failure, until the retry (run/step_state.h); or NULL */
    char *refused;       /* owned; why values are impossible (model/refusals.h); or NULL */
};

/* A file whose code is part of the run's identity: run/code_identity.c. */
struct sg_code_file {
    const char *key, *of;                  /* its fact in env.csv; `of` NULL: of the run */
    const struct sg_listed_family *family; /* NULL: no module */
    enum sg_item_build build;
    char *path, *hash; /* owned */
    char *mark;        /* owned; sg_file_mark when last read */
    char built[17];    /* sg_built_digest of a module, for workers; "": unknown */
};

struct sg_execution {
    const struct sg_run_options *options;
    const struct sg_run_plan *plan;
    struct sg_run_log *sink;
    uint64_t seed;            /* from the options, or from the resumed run */
    struct sg_step *steps;    /* owned; parallel to the plan's items */
    struct sg_step **by_name; /* owned; sorted by family, case and variant */
    struct sg_code_file *code;
    size_t code_count, code_capacity;
    bool is_crowded;           /* ran out of memory with waiting workers: start none ahead */
    struct sg_standby standby; /* workers that wait to begin or to end */
    bool starts_ahead;         /* sg_execution_start_time has not been called yet */
    const char *standby_pass;  /* pass of the workers that have begun */
    struct sg_progress progress;
    struct sg_text choice; /* which rows are timed, for people; "": all rows, no choice was made */
};

void sg_execution_init(struct sg_execution *execution, const struct sg_run_options *options,
                       const struct sg_run_plan *plan, struct sg_run_log *sink);
/* Begins the folder options->out, or resumes it; then the steps contain the results so far. */
enum sg_code sg_execution_open(struct sg_execution *execution, struct sg_err *err);
/* Runs all phases, up to the final files. */
enum sg_code sg_execution_run(struct sg_execution *execution, struct sg_err *err);
/* If the folder has results: adds to `err` that they are kept, and the command to resume. Without
 * results and without a GPU: removes a new folder. */
void sg_execution_abandon(struct sg_execution *execution, struct sg_err *err);
void sg_execution_release(struct sg_execution *execution);

/* With `starts_ahead`, starts the first workers of the time pass for all steps, once. The first
 * verification calls it, so that the workers get ready meanwhile. They are wasted if an item does
 * not pass. */
void sg_execution_start_time(struct sg_execution *execution);
/* The phases, for `count` steps given by index. Work that is already done is left out. */
enum sg_code sg_execution_verify(struct sg_execution *execution, const size_t *steps, size_t count,
                                 struct sg_err *err);
/* Call after all items are verified. With options->timed_since, chooses the steps that
 * skip timing. */
enum sg_code sg_execution_choose(struct sg_execution *execution, struct sg_err *err);
enum sg_code sg_execution_time(struct sg_execution *execution, const size_t *steps, size_t count,
                               struct sg_err *err);
/* Starts each program for the processes that are still missing. */
enum sg_code sg_execution_time_programs(struct sg_execution *execution, struct sg_err *err);
enum sg_code sg_execution_count(struct sg_execution *execution, const size_t *steps, size_t count,
                                struct sg_err *err);
/* Adds the derived rows and writes the final files. */
enum sg_code sg_execution_finish(struct sg_execution *execution, struct sg_err *err);
/* Returns the indices of all steps; owned by the caller. */
size_t *sg_execution_all_steps(const struct sg_execution *execution);

/*
 * Measures until valid processes have decided all pairs, or no more processes may be dropped.
 * Pair i of the engine is the step step_of_pair[i]. Each step gets the estimate that
 * decided its pair.
 */
enum sg_code sg_execution_decide(struct sg_execution *execution, struct sg_sequential *engine,
                                 const size_t *step_of_pair, struct sg_err *err);
/*
 * Call after timing. A step whose baseline failed has no time, and its message says why. The same
 * holds for a step that died in a pair with that baseline: either side may have killed the worker,
 * but the baseline also dies alone.
 */
void sg_execution_settle(struct sg_execution *execution);

/* Appends how many timed launches were checked, and how many items had a different output. Appends
 * nothing if none was timed. */
void sg_execution_add_checked(const struct sg_execution *execution, struct sg_text *out);

/* Adds a row without a number. */
void sg_item_row(struct sg_table *group, const struct sg_item *item, const char *metric,
                 const char *unit, enum sg_status status, const char *message);
/* Adds the row `time`, or a ratio, with the names of `item`. `ln_ns`: ln of the time in ns, one per
 * process. */
void sg_rows_add_time(struct sg_table *table, const struct sg_value *item, const double *ln_ns,
                      size_t n);
void sg_rows_add_ratio(struct sg_table *table, const struct sg_value *item, const char *metric,
                       const struct sg_estimate *estimate, const char *message);

/* Finds the step of a family, case and variant; NULL: not in the plan. */
struct sg_step *sg_execution_step(const struct sg_execution *execution, const char *const name[3]);
/* Finds the step of the program that a row belongs to; NULL: the row is not of a program. */
struct sg_step *sg_execution_program(const struct sg_execution *execution, const char *family,
                                     const char *case_);
/* The item that the step's rows belong to. For an accepted build: this run's own item. */
const struct sg_item *sg_step_item(const struct sg_step *step);
/* True if the step passed verification, or needs none because it is only timed. */
bool sg_step_passed(const struct sg_step *step);

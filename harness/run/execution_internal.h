/*
 * run/execution_internal.h - shared by the files of this folder: arguments of workers, the effect
 * of a worker's messages on a step, and the parts of a run by file.
 */
#pragma once

#include "process/pool.h"
#include "results/env.h"
#include "results/row_kind.h"
#include "results/samples.h"
#include "run/execution.h"
#include "run/run.h"

/* ---- summary.c ---- */

/* Sets the outcome's lines for people and its exit code. */
void sg_execution_summarize(const struct sg_execution *execution, struct sg_run_outcome *outcome);

/* ---- phase_measure.c, phase_time.c ---- */

/*
 * Times these steps in one process. `ahead` more processes are likely to follow and may start
 * early. Uses one worker per kind of device, in an order drawn from the seed. Skips what is
 * done. A step that dies gets a status, and another worker continues.
 */
enum sg_code sg_execution_time_process(struct sg_execution *execution, unsigned process,
                                       unsigned ahead, const size_t *steps, size_t count,
                                       struct sg_err *err);

/* Times the items of options->more with the maximum number of processes of a sequential test. */
enum sg_code sg_execution_extend_timing(struct sg_execution *execution, struct sg_err *err);

bool sg_execution_is_late(const struct sg_execution *execution);
/* Returns how many of `count` pairs can be timed by `processes` more processes before the deadline,
 * if one process with all of them takes `process_s`. */
size_t sg_execution_afford(const struct sg_execution *execution, size_t count, double process_s,
                           unsigned processes);
/* Skips each step with fewer processes than an interval needs. */
enum sg_code sg_execution_skip_undertimed(struct sg_execution *execution, struct sg_err *err);

/* ---- start_ahead.c ---- */

/* Ends all workers except those of the verification. */
void sg_execution_end_standby(struct sg_execution *execution);

/* ---- phase_measure.c: remaining work ---- */

/* True if the step still needs batches of this process. */
bool sg_step_to_time(const struct sg_step *step, unsigned process);

/* ---- code_identity.c ---- */

/* Hashes the plan's files: modules, the worker and the drift references. */
enum sg_code sg_execution_find_code(struct sg_execution *execution, struct sg_err *err);
/* Call before a worker starts, after one ended badly, and before the run is finished.
 * SG_NOT_COMPARABLE: a file has become another build. */
enum sg_code sg_execution_check_code(struct sg_execution *execution, struct sg_err *err);
/* The same check for what a worker reports as loaded. */
enum sg_code sg_execution_take_code(const struct sg_execution *execution,
                                    const struct sg_message *message, struct sg_err *err);
void sg_execution_set_code(const struct sg_execution *execution, struct sg_env *env);

/* ---- execution.c ---- */

/* Adds a worker's first arguments: the worker, --pass, --seed and --gpu. */
void sg_args_worker(struct sg_names *args, const struct sg_run_plan *plan,
                    const struct sg_run_options *options, uint64_t seed, const char *pass);
void sg_args_item(struct sg_names *args, const struct sg_item *item);
/* Adds the knobs of these steps and of their baselines. */
void sg_args_knobs(struct sg_names *args, const struct sg_execution *execution, const size_t *steps,
                   size_t count);
/* Adds the names of those steps that belong to the other build. */
void sg_args_others(struct sg_names *args, const struct sg_execution *execution,
                    const size_t *steps, size_t count);
void sg_args_module(struct sg_names *args, const struct sg_listed_family *family,
                    enum sg_item_build build);
/* The resolution that one process of the step's pair needs, and the noise that the rounds may add
 * to its value. Ratios. */
double sg_step_resolves(const struct sg_execution *execution, const struct sg_step *step);
double sg_step_noise(const struct sg_execution *execution, const struct sg_step *step);
/* True if these are all batches that one process of the step's pair needs. */
bool sg_execution_is_whole(const struct sg_execution *execution, const struct sg_step *step,
                           const struct sg_pair_samples *batches);
/* Records a complete process's batches and computes its result. */
void sg_step_take_batches(struct sg_step *step, const struct sg_pair_samples *batches,
                          uint64_t seed);

/* ---- derive_rows.c ---- */

/* Finds physically impossible values, for the report. */
void sg_execution_refuse(struct sg_execution *execution, const struct sg_table *final);

/* ---- begin_or_resume.c ---- */

/* Checks that the run in a folder was begun with the same selection and identity. */
enum sg_code sg_execution_check_resumed(struct sg_execution *execution, const char *folder,
                                        struct sg_err *err);
/* Sets the state of the steps from a merged run. */
enum sg_code sg_execution_restore(struct sg_execution *execution, const char *folder,
                                  struct sg_err *err);
/* Adds rows of the step, and samples or NULL, to the log as one group, and applies the rows as a
 * resumed run does. */
enum sg_code sg_step_add_rows(struct sg_execution *execution, struct sg_step *step,
                              const struct sg_table *group, const struct sg_samples *samples,
                              struct sg_err *err);
/* Records at once that the step failed once, so that an interrupted run remembers. "": clears the
 * suspicion. */
enum sg_code sg_step_set_first_failure(struct sg_execution *execution, struct sg_step *step,
                                       const char *how, struct sg_err *err);
/* Marks the step as flaky and clears the suspicion. */
enum sg_code sg_step_set_flaky(struct sg_execution *execution, struct sg_step *step,
                               const char *message, struct sg_err *err);
/* Call at the end: a step that was never retried becomes flaky. */
enum sg_code sg_execution_settle_retries(struct sg_execution *execution, struct sg_err *err);
/* Records an outcome and its row. The outcome is of the count pass if `metric` is `count_passes`.
 * The row has this metric, or the ratio for an accepted build. */
enum sg_code sg_step_record(struct sg_execution *execution, struct sg_step *step,
                            const char *metric, enum sg_status status, const char *message,
                            struct sg_err *err);

/* ---- env_facts.c ---- */

/* Handles a worker's `env` message for this family's kind of device. SG_NOT_COMPARABLE: not the
 * run's GPU or driver. */
enum sg_code sg_execution_take_env(struct sg_execution *execution, bool needs_gpu,
                                   const struct sg_message *message, struct sg_err *err);

/* Asks a worker for the facts of the GPU, unless they are known. */
enum sg_code sg_execution_ask_facts(struct sg_execution *execution, struct sg_err *err);
/* Reports a worker that crashed after its last message on stderr, in the summary and in env.csv.
 * The worker's rows are kept. `item`: its only item; NULL: it had several. */
void sg_execution_note_end(struct sg_execution *execution, const char *pass,
                           const struct sg_item *item, const struct sg_worker_job *job);

/* ---- execution.c: steps and items ---- */

/* Returns the variant of a batch of the step's pair, by its block's coin (stats/abba.h). */
const char *sg_step_ran(const struct sg_step *step, const struct sg_sample *sample, uint64_t seed);
/* Finds a metric requested in the count pass; NULL: not requested. */
const struct sg_metric *sg_execution_counted(const struct sg_execution *execution,
                                             const char *metric);
/* SG_INVALID if the message is not about this item. */
enum sg_code sg_item_check(const struct sg_item *item, const struct sg_message *message,
                           struct sg_err *err);
/* Appends a colon, the reason, and where the outputs are wrong. */
void sg_step_add_reason(const struct sg_step *step, struct sg_text *out);

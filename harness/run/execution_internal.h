/*
 * run/execution_internal.h - what the files of this room share: the arguments of workers, what a
 * worker's lines do to a step, and the parts of a run that each file sees to.
 */
#pragma once

#include "process/pool.h"
#include "results/message.h"
#include "results/env.h"
#include "results/row_kind.h"
#include "results/samples.h"
#include "run/execution.h"
#include "run/run.h"

/* ---- summary.c ---- */

/* Its lines for people and its exit code. */
void sg_execution_summarize(const struct sg_execution *execution, struct sg_run_outcome *outcome);

/* ---- phase_measure.c, phase_time.c ---- */

/*
 * One process times these steps, and `ahead` more of them are likely to follow: they may start
 * already. One worker does, one for each kind of device among them, in an order
 * drawn from the seed; what is done is left out. A step that dies is reported by its
 * status, and another process goes on.
 */
enum sg_code sg_execution_time_process(struct sg_execution *execution, unsigned process, unsigned ahead, const size_t *steps, size_t count,
                                       struct sg_err *err);
/* The process measured under conditions that spoil its values: they are let
 * go, so that it can be timed again. */
enum sg_code sg_execution_drop_process(struct sg_execution *execution, unsigned process, const char *why, struct sg_err *err);

/* Those of options->more are timed by so many processes as decide at most. */
enum sg_code sg_execution_time_more(struct sg_execution *execution, struct sg_err *err);

bool sg_execution_is_late(const struct sg_execution *execution);
/* Of `count` pairs as many as can be timed by `processes` more before the deadline, if one
 * process of all of them takes so long. */
size_t sg_execution_afford(const struct sg_execution *execution, size_t count, double process_s, unsigned processes);
/* What fewer processes have timed than an interval needs is skipped. */
enum sg_code sg_execution_leave_out(struct sg_execution *execution, struct sg_err *err);

/* ---- phase_programs.c ---- */

/* Starts them, as often as each still has to be. */
enum sg_code sg_execution_start_programs(struct sg_execution *execution, struct sg_err *err);
/* Are rows of the family those of programs? */
bool sg_execution_is_of_program(const struct sg_execution *execution, const char *family);
/* Of the kernel that the row is of, the logarithm of its time in each process; room for
 * SG_PROCESSES_MAX. *sm_clock is the mean, Hz; 0: not known of all of them. */
size_t sg_execution_program_times(const struct sg_execution *execution, const struct sg_row *row, double *ln_ns, double *sm_clock);
/* For people; the exit code, which they may make worse. */
int sg_execution_list_programs(const struct sg_execution *execution, int exit_code, struct sg_text *out);

/* ---- start_ahead.c ---- */

/* No worker is left, but of the verification. */
void sg_execution_end_standby(struct sg_execution *execution);

/* ---- phase_measure.c: what is left ---- */

/* Are the batches of this step in this process still to be had? */
bool sg_step_to_time(const struct sg_step *step, unsigned process);

/* ---- code_identity.c ---- */

/* Reads the files of the plan: its modules, the worker and the drift references. */
enum sg_code sg_execution_find_code(struct sg_execution *execution, struct sg_err *err);
/* Before a worker starts, when one ends badly and before the run is finished: SG_NOT_COMPARABLE
 * when a file is another build by now. */
enum sg_code sg_execution_check_code(struct sg_execution *execution, struct sg_err *err);
/* The same of what a worker reports as loaded. */
enum sg_code sg_execution_take_code(const struct sg_execution *execution, const struct sg_message *message, struct sg_err *err);
void sg_execution_set_code(const struct sg_execution *execution, struct sg_env *env);
void sg_execution_release_code(struct sg_execution *execution);

/* ---- begin_or_resume.c ---- */

#define SG_SETTINGS_KEY   "settings" /* of env.csv: how many items have knobs set */
#define SG_SETTING_PREFIX "setting." /* and, before FAMILY.CASE.NAME, to what */

/* ---- execution.c ---- */

/* A worker's arguments: the worker, --pass, --seed and --gpu. */
void sg_args_worker(struct sg_names *args, const struct sg_run_plan *plan, const struct sg_run_options *options, uint64_t seed,
                    const char *pass);
void sg_args_item(struct sg_names *args, const struct sg_item *item);
/* What is set for these steps, and for what they are paired with. */
void sg_args_knobs(struct sg_names *args, const struct sg_execution *execution, const size_t *steps, size_t count);
/* What was built of the family's module, as far as that is known. */
void sg_args_built(struct sg_names *args, const struct sg_execution *execution, const struct sg_listed_family *family);
/* The names that those of them have which are of the other build. */
void sg_args_others(struct sg_names *args, const struct sg_execution *execution, const size_t *steps, size_t count);
void sg_args_module(struct sg_names *args, const struct sg_listed_family *family, enum sg_item_build build);
/* What a process of the step's pair is to resolve, and what the rounds' own noise may be of its
 * value. Ratios. */
double sg_step_resolves(const struct sg_execution *execution, const struct sg_step *step);
unsigned sg_execution_pilot_ms(const struct sg_execution *execution);
double sg_step_noise(const struct sg_execution *execution, const struct sg_step *step);
/* Are these all batches that one process of the step's pair is to have? */
bool sg_execution_is_whole(const struct sg_execution *execution, const struct sg_step *step, const struct sg_pair_samples *batches);
/* Notes that they are there, all of them, and what they say. */
void sg_step_take_batches(struct sg_step *step, const struct sg_pair_samples *batches, uint64_t seed);

/* ---- begin_or_resume.c ---- */

/* Of a step that failed once, in env.csv from that moment on: a run that is interrupted has it all
 * the same. NULL: it is suspected no more. */
enum sg_code sg_step_suspect(struct sg_execution *execution, struct sg_step *step, const char *how, struct sg_err *err);
/* It is flaky, and suspected no more. */
enum sg_code sg_step_set_flaky(struct sg_execution *execution, struct sg_step *step, const char *message, struct sg_err *err);
/* At the end: what was never done again is flaky. */
enum sg_code sg_execution_settle_suspects(struct sg_execution *execution, struct sg_err *err);
/* Its outcome, of its count pass by `count_passes`, and the row of it: of this metric, or of an
 * accepted build the ratio. */
enum sg_code sg_step_record(struct sg_execution *execution, struct sg_step *step, const char *metric, enum sg_status status,
                            const char *message, struct sg_err *err);

/* ---- env_facts.c ---- */

/* An `env` line of a worker for this family's kind of device. SG_NOT_COMPARABLE when it is
 * another GPU or driver than the run's. */
enum sg_code sg_execution_take_env(struct sg_execution *execution, bool needs_gpu, const struct sg_message *message, struct sg_err *err);

/* A worker that crashed after its last message: its rows stand, and a line on stderr,
 * the summary and env.csv report it. `item`: its only one; NULL: it had many. */
void sg_execution_note_end(struct sg_execution *execution, const char *pass, const struct sg_item *item, const struct sg_worker_job *job);

/* ---- process_log_step.c ---- */

/* What the GPU is like while a worker times: a row is written when it begins, and in its place when
 * it ended. */
enum sg_code sg_execution_begin_process(struct sg_execution *execution, unsigned process, struct sg_process *row, struct sg_err *err);
enum sg_code sg_execution_end_process(struct sg_execution *execution, struct sg_process *row, struct sg_err *err);

/* ---- execution.c: steps and items ---- */

/* Which variant the batch of a step's pair is of, by the coin of its block (stats/abba.h). */
const char *sg_step_ran(const struct sg_step *step, const struct sg_sample *sample, uint64_t seed);
/* The metric of that name that the count pass is asked for; NULL: none is. */
const struct sg_metric *sg_execution_counted(const struct sg_execution *execution, const char *metric);
/* Is the message about this item? SG_INVALID if not. */
enum sg_code sg_item_check(const struct sg_item *item, const struct sg_message *message, struct sg_err *err);
/* A row with no number in it. */
void sg_item_row(struct sg_table *group, const struct sg_item *item, const char *metric, const char *unit, enum sg_status status,
                 const char *message);
/* From a sorted table: where its outputs are wrong, by the row of its signature, and what it is
 * made of; NULL for either without its row. */
void sg_step_take_words(struct sg_step *step, const struct sg_table *table);
/* What went wrong, behind a colon, and where in its outputs; appended. */
void sg_step_add_reason(const struct sg_step *step, struct sg_text *out);

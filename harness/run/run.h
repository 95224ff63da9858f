/*
 * run/run.h - one run: list, plan, then verify, time and count each item in worker processes, then what follows from the files.
 *
 * Steps remember what is done; a phase does only what is not. Everything that was found out goes to the run's folder at once, and what
 * is computed at the end is computed from the files: so a run that was killed and taken up again ends in the same bytes.
 * Invariant: an item whose variant fails costs that item alone.
 */
#ifndef SG_RUN_RUN_H
#define SG_RUN_RUN_H

#include "catalogue/catalogue.h"
#include "plan/knobs.h"
#include "plan/plan.h"
#include "process/pool.h"
#include "process/protocol_values.h"
#include "results/pair_samples.h"
#include "results/run_writer.h"
#include "run/progress.h"
#include "stats/sequential.h"

#define SG_JOBS_MAX 16

struct sg_run_options {
    const char *suite;
    const char *out;    /* NULL: out/<suite>-<date> */
    const char *config; /* a file of knobs; NULL: the suite's, if it names one */
    struct sg_filters filters;
    struct sg_names metrics; /* empty: the suite's */
    struct sg_names modules;
    uint64_t gpu, seed, jobs;
    bool seed_given, resume;
    bool neighbours_allowed; /* others on the GPU, MIG and MPS are no reason to refuse */
};

/* What is known of one item. */
struct sg_step {
    struct sg_item item;
    const struct sg_step *baseline; /* what it is paired with, perhaps itself; NULL: nothing */
    bool verified, counted;
    bool passed;                       /* its verification, whatever came later */
    double verified_s;                 /* how long that took, with its start-up; 0: in an earlier part of the run */
    enum sg_status status;             /* of the verification, or of the time pass if that is where it failed */
    char *message;                     /* owned; why */
    uint64_t processes;                /* bit p: its visits in process p are there */
    struct sg_process_result *results; /* owned; of process p where its bit is set */
    size_t results_capacity;
    struct sg_estimate estimate; /* of its ratio, when all is timed; n 0: there is none */
    bool has_kernels;            /* a row `kernels` is there */
    enum sg_status count_status; /* what ended its count pass */
    char *count_message;         /* owned; why; NULL while it is SG_OK */
    char *refused; /* owned; of a finished run: why its time or counters cannot be (model/refusals.h); NULL: nothing speaks against them */
};

/* A file whose code is part of what makes a run this run: run/code_identity.c. */
struct sg_code_file {
    char *key;         /* owned; of env.csv */
    char *told;        /* owned; what a worker that loads it calls it (SG_CODE_PREFIX); NULL: workers do not tell */
    char *path, *hash; /* owned */
    char *mark;        /* owned; sg_file_mark when it was last read */
};

struct sg_pipeline {
    const struct sg_run_options *options;
    const struct sg_suite *suite;     /* borrowed */
    const struct sg_listing *listing; /* borrowed */
    struct sg_catalogue catalogue;
    const struct sg_metric **metrics; /* what the count pass is asked for */
    size_t metric_count;
    struct sg_plan plan;
    struct sg_settings settings; /* knobs that are set, of items by their names */
    struct sg_step *steps;       /* one an item of the plan */
    struct sg_step **by_name;    /* the same, sorted by family, case and variant */
    struct sg_run_folder folder;
    struct sg_progress progress;
    uint64_t seed;
    bool env_changed;
    const char *command;           /* what to type to do it again, without --out */
    struct sg_processes processes; /* of the time pass: what the GPU was like, those of a run taken up included */
    struct sg_samples *visits;     /* borrowed; where all visits are kept, those of a run taken up included */
    struct sg_text drift;          /* module of the drift references that each process times; "": none */
    char suite_hash[17];           /* of the suite's file; "": there is none */
    struct sg_code_file *code;     /* owned */
    size_t code_count, code_capacity;

    /* What `solgate ab` adds; all zero for `solgate run`. */
    const struct sg_listed_family *against; /* a second build of the family, whose variants are called NAME_base; NULL: none */
    const char *baseline_name;              /* what everything is paired with; NULL: the family's baseline */
    const struct sg_env *identity;          /* more of what must be the same when the run is taken up again; NULL: nothing more */
    bool pairs_baseline;                    /* the baseline has a ratio to itself, too */
    unsigned segment_ms;                    /* a visit is launches on end for so long; 0: it is not */
};

/* *exit_code is the summary's, which goes to stdout. */
enum sg_code sg_pipeline_run(const struct sg_run_options *options, int *exit_code, struct sg_err *err);

/* The phases, of `count` steps by their indices; what is done of them is left out. */
enum sg_code sg_pipeline_verify(struct sg_pipeline *pipeline, const size_t *steps, size_t count, struct sg_err *err);
enum sg_code sg_pipeline_time(struct sg_pipeline *pipeline, const size_t *steps, size_t count, struct sg_err *err);
enum sg_code sg_pipeline_count(struct sg_pipeline *pipeline, const size_t *steps, size_t count, struct sg_err *err);
/* What follows from all that was measured, and the end of the run's files. */
enum sg_code sg_pipeline_finish(struct sg_pipeline *pipeline, struct sg_err *err);
/* Prints it. *exit_code: 5 when a variant is not what it is declared to be, 3 when something is not measured or not to be believed, else 0.
 */
enum sg_code sg_pipeline_summary(const struct sg_pipeline *pipeline, int *exit_code, struct sg_err *err);

/* Appends how many timed launches were checked, and in how many items one came out otherwise; nothing if none was timed. */
void sg_pipeline_add_checked(const struct sg_pipeline *pipeline, struct sg_text *out);

/* What to type, behind `solgate`, to do it again, without --out. */
void sg_run_command(const struct sg_run_options *options, struct sg_text *command);

/* Where a run of the suite goes when nobody says: out/<suite>-<date>, appended. */
void sg_pipeline_default_folder(const char *suite, struct sg_text *path);

/* The parts of it, for a caller that decides itself what is timed. */

/* Suite and listing, which are the caller's to release; metrics, settings and plan, by the options. */
enum sg_code sg_pipeline_plan(struct sg_pipeline *pipeline, struct sg_suite *suite, struct sg_listing *listing, struct sg_err *err);
enum sg_code sg_pipeline_choose_metrics(struct sg_pipeline *pipeline, struct sg_err *err);
void sg_pipeline_make_steps(struct sg_pipeline *pipeline); /* of the plan; each paired with its family's baseline */
/* Begins the folder of options->out, or takes it up again: then the steps know what is done. */
enum sg_code sg_pipeline_open(struct sg_pipeline *pipeline, struct sg_err *err);
/*
 * One process times these steps, one for each kind of device among them, in an order drawn from the seed; what is done is left out. A step
 * that dies is told by its status, and another process goes on.
 */
enum sg_code sg_pipeline_time_process(struct sg_pipeline *pipeline, unsigned process, const size_t *steps, size_t count,
                                      struct sg_err *err);
/* The process measured under conditions that spoil its values: they are let go, so that it can be timed again. */
enum sg_code sg_pipeline_drop_process(struct sg_pipeline *pipeline, unsigned process, const char *why, struct sg_err *err);

/* The guards: run/process_validity.c. */

/* Of a plan: where the drift references are, if they were built; without them the run says that drift is not known. */
enum sg_code sg_pipeline_find_drift(struct sg_pipeline *pipeline, struct sg_err *err);
/* Lets go of the processes that are not fit, if so many may be dropped; bit p of *dropped: process p is to be timed again. */
enum sg_code sg_pipeline_drop_unfit(struct sg_pipeline *pipeline, uint64_t *dropped, struct sg_err *err);
/* Does any item of the plan? */
bool sg_pipeline_runs_on_gpu(const struct sg_pipeline *pipeline);

/* All of them, each by its index; owned by the caller. */
size_t *sg_pipeline_all_steps(const struct sg_pipeline *pipeline);
/* Are the visits of this step in this process still to be had? */
bool sg_step_to_time(const struct sg_step *step, unsigned process);

/* The code that is measured: run/code_identity.c. */

/* A file's part of the identity: hashed as plan/module_code.h does where workers tell of it, else as a whole. */
enum sg_code sg_pipeline_add_code(struct sg_pipeline *pipeline, const char *key, const char *told, const char *path, struct sg_err *err);
/* Of a plan: code.<family> of each family, unless somebody named the files already; the worker and the drift references. */
enum sg_code sg_pipeline_find_code(struct sg_pipeline *pipeline, struct sg_err *err);
/* Before a worker starts, when one ends badly and before the run is finished: SG_NOT_COMPARABLE when a file is another build by now. */
enum sg_code sg_pipeline_check_code(struct sg_pipeline *pipeline, struct sg_err *err);
/* The same of what a worker says that it loaded. */
enum sg_code sg_pipeline_take_code(const struct sg_pipeline *pipeline, const struct sg_message *message, struct sg_err *err);
void sg_pipeline_set_code(const struct sg_pipeline *pipeline, struct sg_env *env);
void sg_pipeline_release_code(struct sg_pipeline *pipeline);

/* Knobs that are set: run/knob_binding.c. */

#define SG_SETTINGS_KEY "settings" /* of env.csv: how many items have knobs set */

/* Of a listing: reads the settings of the run's file, if it has one. SG_BAD_INPUT with file and line for what no module has. */
enum sg_code sg_pipeline_configure(struct sg_pipeline *pipeline, struct sg_err *err);
enum sg_code sg_setting_check(const struct sg_setting *setting, const struct sg_listed_family *family, const char *path,
                              struct sg_err *err);
/* NULL: nothing is set for it. */
const struct sg_setting *sg_pipeline_setting(const struct sg_pipeline *pipeline, const struct sg_item *item);
/* As rows of env.csv: they are part of what makes a run this run. */
void sg_pipeline_set_settings(const struct sg_pipeline *pipeline, struct sg_env *env);

/*
 * Until all pairs are decided by processes that are fit, or as many were dropped as may be. Pair i of the engine is the step
 * step_of_pair[i], measured by worker processes; each step ends with the estimate that its pair was decided by.
 */
enum sg_code sg_pipeline_decide(struct sg_pipeline *pipeline, struct sg_engine *engine, const size_t *step_of_pair, struct sg_err *err);

/* Says in err what is kept and how to go on, or takes away a folder that nothing came of. */
void sg_pipeline_give_up(struct sg_pipeline *pipeline, struct sg_err *err);
void sg_pipeline_release(struct sg_pipeline *pipeline);

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
/* What is set for these steps, and for what they are paired with. */
void sg_args_settings(struct sg_args *args, const struct sg_pipeline *pipeline, const size_t *steps, size_t count);
void sg_args_module(struct sg_args *args, const struct sg_pipeline *pipeline, const struct sg_listed_family *family);

/* What pairs of the family are to resolve: its tolerance, or the suite's; ratio. */
double sg_pipeline_tolerance(const struct sg_pipeline *pipeline, const char *family);
/* Are these all visits that one process of a pair of the family is to have? */
bool sg_pipeline_is_whole(const struct sg_pipeline *pipeline, const char *family, const struct sg_visits *visits);
/* Notes that they are there, all of them, and what they say. */
void sg_step_take_visits(struct sg_step *step, const struct sg_visits *visits, uint64_t seed);

/* An `env` line of a worker for this family's kind of device. SG_NOT_COMPARABLE when it is another GPU or driver than the run's. */
enum sg_code sg_pipeline_take_env(struct sg_pipeline *pipeline, bool needs_gpu, const struct sg_message *message, struct sg_err *err);
/*
 * What the GPU is like while a worker times: a row is written when it begins, told by the worker's `events` and `figure` lines, and
 * written anew when it ended.
 */
enum sg_code sg_pipeline_begin_process(struct sg_pipeline *pipeline, unsigned process, struct sg_process *row, struct sg_err *err);
enum sg_code sg_take_look(const struct sg_message *message, struct sg_process *row, struct sg_err *err);
enum sg_code sg_pipeline_end_process(struct sg_pipeline *pipeline, struct sg_process *row, struct sg_err *err);
/* Of a run that is taken up: its rows; those of a process whose last worker nobody saw end are let go, and its visits with them. */
enum sg_code sg_pipeline_take_up_processes(struct sg_pipeline *pipeline, struct sg_samples *visits, struct sg_err *err);
/* Which variant the visit of a step's pair is of, by the coin of its block (stats/abba.h). */
const char *sg_step_ran(const struct sg_step *step, const struct sg_sample *sample, uint64_t seed);
/* The metric of that name that the count pass is asked for; NULL: none is. */
const struct sg_metric *sg_pipeline_counted(const struct sg_pipeline *pipeline, const char *metric);
/* The step of this family, case, variant; NULL: the plan has none. */
struct sg_step *sg_pipeline_step(const struct sg_pipeline *pipeline, const char *const name[3]);
/*
 * When all is timed: what is paired with a baseline that failed has no time, and says why. So one that died beside it, too: which of the
 * two killed their worker nobody can say, but that the baseline dies by itself.
 */
void sg_pipeline_settle(struct sg_pipeline *pipeline);
/* Is this family, case, variant the item's? */
bool sg_item_is(const struct sg_item *item, const char *const name[3]);
/* Is the message about this item? SG_INVALID if not. */
enum sg_code sg_item_check(const struct sg_item *item, const struct sg_message *message, struct sg_err *err);
/* A row with no number in it. */
void sg_item_row(struct sg_table *batch, const struct sg_item *item, const char *metric, const char *unit, enum sg_status status,
                 const char *message);

/* How an outcome is to be taken: constant, exit code of the run, title of the list of such items ("": they are only counted). */
#define SG_STANDING_TABLE(X)                                                     \
    X(SG_AS_DECLARED, 0, "")                                                     \
    X(SG_UNMEASURED, 3, "Not verified, timed or counted here")                   \
    X(SG_REFUSED, 3, "Invalid")                                                  \
    X(SG_MENDS, 5, "Passes, and is declared to fail (its source has `.expect`)") \
    X(SG_OTHERWISE, 5, "Fails in another way than declared")                     \
    X(SG_FAILS, 5, "Should be correct and is not")

enum sg_standing {
#define X(constant, exit_code, title) constant,
    SG_STANDING_TABLE(X)
#undef X
        SG_STANDINGS
};
/* Of a status, where another was declared. Unsupported is as declared, whatever was. */
enum sg_standing sg_standing_of(enum sg_status declared, enum sg_status status);
/* Of all that is known of the step; *why, unless that is as declared: what was found instead of what; appended. */
enum sg_standing sg_step_standing(const struct sg_step *step, struct sg_text *why);
/* The worse of two exit codes of standings. */
int sg_standing_exit_code(enum sg_standing standing, int so_far);

#endif

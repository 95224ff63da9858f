/*
 * run/pipeline.h - one run: list, plan, then verify, time and count each item in worker processes,
 * then what follows from the files.
 *
 * Steps remember what is done; a phase does only what is not. Everything that was found out goes to
 * the run's folder at once, and is rounded as the files have it before anything is computed from
 * it: so a run that was killed and taken up again ends in the same bytes. Invariant: an item whose
 * variant fails costs that item alone.
 */
#ifndef SG_RUN_PIPELINE_H
#define SG_RUN_PIPELINE_H

#include "catalogue/catalogue.h"
#include "plan/knobs.h"
#include "plan/plan.h"
#include "process/pool.h"
#include "process/protocol_values.h"
#include "results/env.h"
#include "results/pair_samples.h"
#include "results/run_writer.h"
#include "results/samples.h"
#include "run/progress.h"
#include "stats/sequential.h"

struct sg_run_options {
    const char *suite;
    const char *out;    /* NULL: out/<suite>-<date> */
    const char *config; /* a file of knobs; NULL: the suite's, if it names one */
    struct sg_filters filters;
    struct sg_names metrics; /* empty: the suite's */
    struct sg_names modules;
    uint64_t gpu, seed, jobs;
    bool seed_given, resume;
    bool sanitize;           /* what failed runs once more under compute-sanitizer */
    bool against_accepted;   /* each variant is also timed against the build that its accepted numbers come from, where that is at hand */
    bool shared_gpu_allowed; /* others on the GPU, MIG and MPS are no reason to refuse */

    /* What `solgate nightly` adds; all zero for `solgate run`. */
    double deadline_s;       /* of sg_monotonic_s: no process begins that would not be done by then (run/budget.c); 0: there is none */
    struct sg_names more;    /* items FAMILY/CASE/VARIANT of a run that is taken up: timed on, up to SG_SEQUENTIAL_PROCESSES_MAX */
    struct sg_text *summary; /* where the summary is appended; NULL: it goes to stdout */
    struct sg_text *checked; /* where sg_pipeline_add_checked appends; NULL: in the summary alone */
};

/* What is known of one item. */
struct sg_step {
    struct sg_item item;
    const struct sg_step *baseline; /* what it is paired with, perhaps itself; NULL: nothing */
    bool is_accepted_build;         /* a variant of an accepted build, paired with this run's own (struct sg_accepted_pair) */
    bool verified, counted;
    bool sanitized;                    /* it ran under compute-sanitizer */
    bool passed;                       /* its verification, whatever came later */
    double verified_s;                 /* how long that took, with its start-up; 0: in an earlier part of the run */
    enum sg_status status;             /* of the verification, or of the time pass if that is where it failed */
    char *message;                     /* owned; why */
    char *where;                       /* owned; of outputs that are wrong (results/error_signature.h); NULL: not known */
    char *identity;                    /* owned; what it is made of (results/identity.h); NULL: not known */
    uint64_t processes;                /* bit p: its batches in process p are there */
    struct sg_process_result *results; /* owned; of process p where its bit is set */
    size_t results_capacity;
    struct sg_estimate estimate; /* of its ratio, when the run is finished; n 0: there is none */
    bool has_kernels;            /* a row `kernels` is there */
    enum sg_status count_status; /* what ended its count pass */
    char *count_message;         /* owned; why; NULL while it is SG_OK */
    char *suspected;             /* owned; how it failed once, until it is done again (run/turn.h); NULL: it did not */
    char *refused; /* owned; of a finished run: why its time or counters cannot be (model/refusals.h); NULL: nothing speaks against them */
};

/* A file whose code is part of what makes a run this run: run/code_identity.c. */
struct sg_code_file {
    char *key;         /* owned; of env.csv */
    char *reported_as; /* owned; what a worker that loads it calls it (SG_CODE_PREFIX); NULL: workers do not tell */
    char *path, *hash; /* owned */
    char *mark;        /* owned; sg_file_mark when it was last read */
};

/* An item of the plan that is timed, and the same variant of the build
 * that its accepted numbers come from. */
struct sg_accepted_pair {
    size_t own; /* index of the item */
    char *why;  /* owned; why it is not paired: then there is no more of it than that. NULL: it is paired */
    const struct sg_listed_family *family;
    const struct sg_listed_case *case_;
    struct sg_listed_variant variant; /* called NAME_base, which is owned; the rest is the listing's */
    struct sg_step *step;             /* timed against the item's own; its estimate is of this run's build over the accepted one */
    char digest[17];                  /* of the accepted build; "": the numbers name none */
};
struct sg_accepted_pairs {
    struct sg_accepted_pair *items; /* owned; in the order of the plan */
    size_t count;
    struct sg_module_list builds; /* one a family */
};

struct sg_pipeline {
    const struct sg_run_options *options;
    const struct sg_suite *suite;         /* borrowed */
    const struct sg_module_list *listing; /* borrowed */
    struct sg_catalogue catalogue;
    const struct sg_metric **metrics; /* what the count pass is asked for */
    size_t metric_count;
    struct sg_plan plan;
    struct sg_settings settings; /* knobs that are set, of items by their names */
    struct sg_step *steps;       /* one an item of the plan; those of accepted builds come last */
    struct sg_step **by_name;    /* the same, sorted by family, case and variant */
    struct sg_run_writer folder;
    struct sg_progress progress;
    uint64_t seed;
    bool env_changed;
    struct sg_text shared;           /* of a finished run: which variants are wrong in the same way, line by line */
    const char *command;             /* what to type to do it again, without --out */
    struct sg_process_log processes; /* of the time pass: what the GPU was like, those of a run taken up included */
    struct sg_samples *batches;      /* borrowed; where all batches are kept, those of a run taken up included */
    struct sg_text drift;            /* module of the drift references that each process times; "": none */
    char suite_hash[17];             /* of the suite's file; "": there is none */
    struct sg_code_file *code;       /* owned */
    size_t code_count, code_capacity;
    const struct sg_module_list *against; /* second builds of families, whose variants are called NAME_base; NULL: none */
    struct sg_accepted_pairs accepted;    /* of --against-accepted; else none */

    /* What `solgate ab` adds; all zero for `solgate run`. */
    const char *baseline_name;     /* what everything is paired with; NULL: the family's baseline */
    const struct sg_env *identity; /* more of what must be the same when the run is taken up again; NULL: nothing more */
    bool pairs_baseline;           /* the baseline has a ratio to itself, too */
    unsigned segment_ms;           /* a batch is launches on end for so long; 0: it is not */
};

/* *exit_code is the summary's; to `folder`, unless it is NULL, is added where
 * the run is, once it is finished. */
enum sg_code sg_pipeline_run(const struct sg_run_options *options, struct sg_text *folder, int *exit_code, struct sg_err *err);

/* The phases, of `count` steps by their indices; what is done of them is left out. */
enum sg_code sg_pipeline_verify(struct sg_pipeline *pipeline, const size_t *steps, size_t count, struct sg_err *err);
enum sg_code sg_pipeline_time(struct sg_pipeline *pipeline, const size_t *steps, size_t count, struct sg_err *err);
enum sg_code sg_pipeline_count(struct sg_pipeline *pipeline, const size_t *steps, size_t count, struct sg_err *err);
/* If it was asked for: of all steps that failed, what compute-sanitizer finds first. Where it is
 * not installed one line tells so. */
enum sg_code sg_pipeline_sanitize(struct sg_pipeline *pipeline, struct sg_err *err);
/* What follows from all that was measured, and the end of the run's files. */
enum sg_code sg_pipeline_finish(struct sg_pipeline *pipeline, struct sg_err *err);

/* Appends how many timed launches were checked, and in how many items one came out
 * otherwise; nothing if none was timed. */
void sg_pipeline_add_checked(const struct sg_pipeline *pipeline, struct sg_text *out);

/* The item that rows of the step are of: of an accepted build it is this run's own. */
const struct sg_item *sg_step_item(const struct sg_step *step);
/* How many steps there are but those of accepted builds: the first ones. */
size_t sg_pipeline_own_count(const struct sg_pipeline *pipeline);

/* What to type, behind `solgate`, to do it again, without --out. */
void sg_run_command(const struct sg_run_options *options, struct sg_text *command);

/* Where a run of the suite goes when nobody says: out/<suite>-<date>, appended. */
void sg_pipeline_default_folder(const char *suite, struct sg_text *path);

/* The parts of it, for a caller that decides itself what is timed. */

/* Suite and listing, which are the caller's to release; metrics,
 * settings and plan, by the options. */
enum sg_code sg_pipeline_plan(struct sg_pipeline *pipeline, struct sg_suite *suite, struct sg_module_list *listing, struct sg_err *err);
/* Those that the count pass is asked for. */
enum sg_code sg_pipeline_choose_metrics(struct sg_pipeline *pipeline, struct sg_err *err);
void sg_pipeline_make_steps(struct sg_pipeline *pipeline); /* of the plan; each paired with its family's baseline */
/* Begins the folder of options->out, or takes it up again: then the steps know what is done. */
enum sg_code sg_pipeline_open(struct sg_pipeline *pipeline, struct sg_err *err);

/* Of a plan: where the drift references are, if they were built; without them the
 * run says that drift is not known. */
enum sg_code sg_pipeline_find_drift(struct sg_pipeline *pipeline, struct sg_err *err);

/* Of a plan: says so on stderr if none of its kernels needs a GPU. */
void sg_pipeline_print_simulated(struct sg_pipeline *pipeline);

/* All of them, each by its index; owned by the caller. */
size_t *sg_pipeline_all_steps(const struct sg_pipeline *pipeline);

/* A file's part of the identity: hashed as plan/module_code.h does where
 * workers tell of it, else as a whole. */
enum sg_code sg_pipeline_add_code(struct sg_pipeline *pipeline, const char *key, const char *reported_as, const char *path,
                                  struct sg_err *err);

/* Of a file of knobs: SG_BAD_INPUT with file and line for what the family does not have. */
enum sg_code sg_setting_check(const struct sg_setting *setting, const struct sg_listed_family *family, const char *path,
                              struct sg_err *err);

/*
 * Until all pairs are decided by processes that are fit, or as many were dropped as may be. Pair i
 * of the engine is the step step_of_pair[i], measured by worker processes; each step ends with the
 * estimate that its pair was decided by.
 */
enum sg_code sg_pipeline_decide(struct sg_pipeline *pipeline, struct sg_sequential *engine, const size_t *step_of_pair, struct sg_err *err);

/* Says in err what is kept and how to go on, or takes away a folder that nothing came of. */
void sg_pipeline_give_up(struct sg_pipeline *pipeline, struct sg_err *err);
void sg_pipeline_release(struct sg_pipeline *pipeline);

/* What pairs of the family are to resolve: its tolerance, or the suite's; ratio. */
double sg_pipeline_tolerance(const struct sg_pipeline *pipeline, const char *family);

#define SG_WHILE_TIMED "while timed" /* the message of what failed only then begins so */

/* The step of this family, case, variant; NULL: the plan has none. */
struct sg_step *sg_pipeline_step(const struct sg_pipeline *pipeline, const char *const name[3]);
/*
 * When all is timed: what is paired with a baseline that failed has no time, and says why.
 * So one that died beside it, too: which of the two killed their worker nobody can say, but
 * that the baseline dies by itself.
 */
void sg_pipeline_settle(struct sg_pipeline *pipeline);

/* How an outcome is to be taken: constant, exit code of the run, title of the list of such
 * items ("": they are only counted). */
#define SG_STANDING_TABLE(X)                                                                      \
    X(SG_AS_DECLARED, SG_EXIT_DONE, "")                                                           \
    X(SG_UNMEASURED, SG_EXIT_INVALID, "Not verified, timed or counted here")                      \
    X(SG_REFUSED, SG_EXIT_INVALID, "Invalid")                                                     \
    X(SG_MENDS, SG_EXIT_UNDECLARED, "Passes, and is declared to fail (its source has `.expect`)") \
    X(SG_OTHERWISE, SG_EXIT_UNDECLARED, "Fails in another way than declared")                     \
    X(SG_FAILS, SG_EXIT_UNDECLARED, "Should be correct and is not")

enum sg_standing {
#define X(constant, exit_code, title) constant,
    SG_STANDING_TABLE(X)
#undef X
        SG_STANDINGS
};
/* Of a status, where another was declared. Unsupported is as declared, whatever was. */
enum sg_standing sg_standing_of(enum sg_status declared, enum sg_status status);
/* The worse of two exit codes of standings. */
int sg_standing_exit_code(enum sg_standing standing, int so_far);

#endif

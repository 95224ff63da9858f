/*
 * run/execution.h - executes a plan: verifies, times and counts its items in worker processes, and
 * computes what follows from that.
 *
 * Each item is a step that remembers what is done; a phase does only what is not. All that is found
 * out goes to the sink at once. Invariant: an execution that was killed and taken up again ends in
 * the same bytes, and an item whose variant fails costs only that item.
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

/* What is known of one item. */
struct sg_step {
    const struct sg_item *item;     /* of the plan */
    const struct sg_step *baseline; /* what it is timed against, perhaps itself; NULL: nothing */
    bool verified, counted;
    bool sanitized;                    /* it ran under compute-sanitizer */
    bool passed;                       /* its verification, whatever came later */
    double verified_s;                 /* how long that took, with its start-up; 0: in an earlier part of the run */
    enum sg_status status;             /* of the verification, or of the time pass if that is where it failed */
    char *message;                     /* owned; why */
    char *where;                       /* owned; of outputs that are wrong (results/error_signature.h); NULL: not known */
    char *identity;                    /* owned; what it is made of (results/identity.h); NULL: not known */
    bool few;                          /* it decides nothing in this run: timed by SG_PROCESSES_MIN processes of the suite's rounds */
    bool untimed;                      /* it is made of the same as what was accepted, and is not timed or counted in this run */
    uint64_t processes;                /* bit p: its batches in process p are there */
    struct sg_process_result *results; /* owned; of process p where its bit is set */
    size_t results_capacity;
    struct sg_estimate estimate; /* of its ratio, when the run is finished; n 0: there is none */
    bool has_kernels;            /* a row `kernels` is there */
    enum sg_status count_status; /* what ended its count pass */
    char *host_bound;            /* owned; of SG_HOST_BOUND_METRIC; NULL: no side is */
    char *count_message;         /* owned; why; NULL while it is SG_OK */
    char *suspected;             /* owned; how it failed once, until it is done again (run/turn.h); NULL: it did not */
    char *refused; /* owned; of a finished run: why its time or counters cannot be (model/refusals.h); NULL: nothing speaks against them */
};

/* A file whose code is part of what makes a run this run: run/code_identity.c. */
struct sg_code_file {
    char *key;         /* owned; of env.csv */
    char *reported_as; /* owned; what a worker that loads it calls it (SG_CODE_PREFIX); NULL: workers do not report it */
    char *path, *hash; /* owned */
    char *mark;        /* owned; sg_file_mark when it was last read */
    char built[17];    /* of a module: its sg_built_digest, for workers, which then need not read it; "": not known */
};

struct sg_execution {
    const struct sg_run_options *options;
    const struct sg_run_plan *plan;
    struct sg_run_log *sink;
    uint64_t seed;            /* the options', or that of the run that is taken up */
    struct sg_step *steps;    /* owned; one an item of the plan, in its order */
    struct sg_step **by_name; /* owned; the same, sorted by family, case and variant */
    struct sg_code_file *code;
    size_t code_count, code_capacity;
    bool is_crowded;           /* with those beside it a worker had not enough memory: none waits any more */
    struct sg_standby standby; /* workers that wait for their turn, or had it and wait for their end */
    const char *standby_pass;  /* of those that had it */
    struct sg_progress progress;
    struct sg_text shared; /* of a finished run: which variants are wrong in the same way, line by line */
    struct sg_text choice; /* which rows are timed, for people; "": all, without a choice */
};

void sg_execution_init(struct sg_execution *execution, const struct sg_run_options *options, const struct sg_run_plan *plan,
                       struct sg_run_log *sink);
/* Begins the folder of options->out, or takes it up again: then the steps have what is done. */
enum sg_code sg_execution_open(struct sg_execution *execution, struct sg_err *err);
/* All phases, to the end of the files. */
enum sg_code sg_execution_run(struct sg_execution *execution, struct sg_err *err);
/* Adds to err what is kept and how to go on, or takes away a folder that nothing came of. */
void sg_execution_give_up(struct sg_execution *execution, struct sg_err *err);
void sg_execution_release(struct sg_execution *execution);

/* Begins to start the first processes of the time pass, of all steps; before a verification, beside
 * which they get ready. Of no use where an item does not pass. */
void sg_execution_start_time(struct sg_execution *execution);
/* The phases, of `count` steps by their indices; what is done of them is left out. */
enum sg_code sg_execution_verify(struct sg_execution *execution, const size_t *steps, size_t count, struct sg_err *err);
/* Behind the verification of all: which steps stay untimed, where options->timed_since asks for
 * that. */
enum sg_code sg_execution_choose(struct sg_execution *execution, struct sg_err *err);
enum sg_code sg_execution_time(struct sg_execution *execution, const size_t *steps, size_t count, struct sg_err *err);
enum sg_code sg_execution_count(struct sg_execution *execution, const size_t *steps, size_t count, struct sg_err *err);
/* If it was asked for: of all steps that failed, what compute-sanitizer finds first. */
enum sg_code sg_execution_sanitize(struct sg_execution *execution, struct sg_err *err);
/* What follows from all that was measured, and the end of the run's files. */
enum sg_code sg_execution_finish(struct sg_execution *execution, struct sg_err *err);
/* Each step by its index; owned by the caller. */
size_t *sg_execution_all_steps(const struct sg_execution *execution);

/*
 * Until all pairs are decided by processes that are fit, or as many were dropped as may be. Pair i
 * of the engine is the step step_of_pair[i], measured by worker processes; each step ends with the
 * estimate that its pair was decided by.
 */
enum sg_code sg_execution_decide(struct sg_execution *execution, struct sg_sequential *engine, const size_t *step_of_pair,
                                 struct sg_err *err);
/*
 * When all is timed: what is paired with a baseline that failed has no time, and its message says
 * why. So has one that died beside it: which of the two killed their worker is not known, but the
 * baseline dies by itself.
 */
void sg_execution_settle(struct sg_execution *execution);

/* Appends how many timed launches were checked, and in how many items one came out
 * otherwise; nothing if none was timed. */
void sg_execution_add_checked(const struct sg_execution *execution, struct sg_text *out);

/* The step of this family, case, variant; NULL: the plan has none. */
struct sg_step *sg_execution_step(const struct sg_execution *execution, const char *const name[3]);
/* The item that rows of the step are of: of an accepted build it is this run's own. */
const struct sg_item *sg_step_item(const struct sg_step *step);
/* Did it pass its verification? What is only timed has none to fail. */
bool sg_step_passed(const struct sg_step *step);

#define SG_WHILE_TIMED "while timed" /* the message of what failed only then begins so */

/* How an outcome is to be taken: constant, exit code of the run, title of the list of such
 * items ("": they are only counted). */
#define SG_STANDING_TABLE(X)                                                                       \
    X(SG_AS_DECLARED, SG_EXIT_DONE, "")                                                            \
    X(SG_UNMEASURED, SG_EXIT_INVALID, "Not verified, timed or counted here")                       \
    X(SG_REFUSED, SG_EXIT_INVALID, "Invalid")                                                      \
    X(SG_PASSES, SG_EXIT_UNDECLARED, "Passes, and is declared to fail (its source has `.expect`)") \
    X(SG_FAILS_DIFFERENTLY, SG_EXIT_UNDECLARED, "Fails in another way than declared")              \
    X(SG_FAILS, SG_EXIT_UNDECLARED, "Should be correct and is not")

enum sg_standing { SG_STANDING_TABLE(SG_CONSTANT) SG_STANDINGS };
/* Of a status, where another was declared. Unsupported is as declared, whatever was. */
enum sg_standing sg_standing_of(enum sg_status declared, enum sg_status status);
/* The worse of two exit codes of standings. */
int sg_standing_exit_code(enum sg_standing standing, int so_far);

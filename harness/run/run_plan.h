/*
 * run/run_plan.h - what a run measures, as data: items and what each is timed against, by which
 * builds, under which terms.
 *
 * `solgate run`, `ab`, a stage of a sweep and a night each make one; run/execution.h takes any.
 * Invariant: nothing writes to a plan while it is executed.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "plan/knobs.h"
#include "plan/plan.h"
#include "results/env.h"
#include "util/names.h"

/* How it is asked for. */
struct sg_run_options {
    const char *suite;
    const char *out;    /* NULL: out/<suite>-<date> */
    const char *config; /* a file of knobs; NULL: the suite's, if it names one */
    struct sg_filters filters;
    struct sg_names metrics; /* empty: the suite's */
    struct sg_names modules;
    uint64_t gpu, seed, jobs;
    const char *gpu_name; /* of GPU `gpu`, as its driver has it; NULL: a worker is asked where that matters */
    bool seed_given, resume;
    bool sanitize;         /* what failed runs once more under compute-sanitizer */
    bool against_accepted; /* each variant is also timed against the build that its accepted numbers come from, where that is at hand */
    /* Of a night: only what changed since its numbers were accepted is timed, and a few rows that
     * the nights in this folder ("": none are kept) did not time for long; NULL: all rows are. */
    const char *timed_since;
    bool shared_gpu_allowed; /* others on the GPU, MIG and MPS are no reason to refuse */
    double deadline_s;       /* of sg_monotonic_s: no process begins that would not be done by then; 0: there is none */
    struct sg_names more;    /* items FAMILY/CASE/VARIANT of a run that is taken up: timed up to SG_SEQUENTIAL_PROCESSES_MAX times */
};

/* An own item that is to be timed against the build that its accepted numbers come from. */
struct sg_accepted_pair {
    size_t own;      /* index of the item */
    size_t accepted; /* the item of that build; SG_NO_ITEM: there is none */
    char *why;       /* owned; why there is none */
    char digest[17]; /* of the accepted build; "": the numbers name none */
    char *identity;  /* owned; what the item was made of when it was accepted (results/identity.h); NULL: the numbers do not say */
};
struct sg_accepted_pairs {
    struct sg_accepted_pair *items; /* owned; in the order of the plan */
    size_t count;
    struct sg_listed_variant *variants; /* owned, as are their names; of the items that are added */
    size_t variant_count;
    struct sg_env env; /* owned; facts of the accepted numbers */
};

/* A module whose digest env.csv has by a key of its own; borrowed. */
struct sg_code_side {
    const char *key;
    const struct sg_listed_family *family;
    enum sg_item_build build;
};

struct sg_run_plan {
    struct sg_item *items; /* owned */
    size_t count, capacity;
    size_t own_count;                         /* of those that are not only timed: the first ones */
    const struct sg_suite_program **programs; /* owned; each is the suite's */
    size_t program_count;
    struct sg_settings settings;          /* owned; knobs of items, by the names of these */
    const struct sg_suite *suite;         /* borrowed; what a process measures, tolerances, deadlines */
    const struct sg_module_list *modules; /* borrowed */
    const struct sg_module_list *others;  /* borrowed; where items of SG_BUILD_OTHER are; NULL: there are none */
    struct sg_catalogue catalogue;        /* owned */
    const struct sg_metric **metrics;     /* owned; what the count pass is asked for */
    size_t metric_count;
    struct sg_text drift;              /* owned; module of the drift references that each process times; "": none */
    struct sg_text command;            /* owned; what to type, behind `solgate`, to do it again, without --out */
    struct sg_env identity;            /* owned; more of what must be the same when the run is taken up again */
    struct sg_accepted_pairs accepted; /* owned; of --against-accepted, else none */
    struct sg_code_side code[2];       /* without any, each family has the key code.<family> */
    size_t code_count;
    const char *baseline_name; /* borrowed; what every item is timed against; NULL: see the items */
    bool pairs_baseline;       /* the baseline has a row of its ratio to itself, too */
    unsigned segment_ms;       /* a batch is launches on end for so long; 0: it is not */
};

/* What a plan of `solgate run` borrows from. */
struct sg_run_inputs {
    struct sg_suite suite;
    struct sg_module_list modules, accepted_builds;
};

/* Loads the inputs and makes the plan. Both are the caller's to release, also after an error. */
enum sg_code sg_run_plan_make(const struct sg_run_options *options, struct sg_run_inputs *inputs, struct sg_run_plan *plan,
                              struct sg_err *err);
void sg_run_plan_release(struct sg_run_plan *plan);
void sg_run_inputs_release(struct sg_run_inputs *inputs);

/* What to type, behind `solgate`, to do it again, without --out; appended. */
void sg_run_command(const struct sg_run_options *options, struct sg_text *command);

/* The parts of it, for a caller that puts its own items into a plan. */

struct sg_item *sg_run_plan_add(struct sg_run_plan *plan, const struct sg_item *item);
/* When all items and settings are there: each gets its knobs, and they are counted. */
void sg_run_plan_close(struct sg_run_plan *plan);
/* The metrics of that list, or of the suite if it is empty. */
enum sg_code sg_run_plan_choose_metrics(struct sg_run_plan *plan, const struct sg_names *names, struct sg_err *err);
/* Where the drift references are, if they were built; without them the run reports that drift is
 * not known. */
enum sg_code sg_run_plan_find_drift(struct sg_run_plan *plan, struct sg_err *err);
/* SG_BAD_INPUT with file and line for what the family does not have. */
enum sg_code sg_setting_check(const struct sg_setting *setting, const struct sg_listed_family *family, const char *path,
                              struct sg_err *err);

/* What pairs of the family are to resolve: its tolerance, or the suite's; ratio. */
double sg_run_plan_tolerance(const struct sg_run_plan *plan, const char *family);
/* Does any item need a GPU, and does any need none? */
bool sg_run_plan_needs_gpu(const struct sg_run_plan *plan);
bool sg_run_plan_needs_host(const struct sg_run_plan *plan);
/* A line on stderr if no item needs a GPU. */
void sg_run_plan_print_simulated(const struct sg_run_plan *plan);

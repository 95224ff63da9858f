/*
 * run/run_plan.h - what a run measures, as data: items and their baselines, builds, settings.
 *
 * `solgate run`, `ab`, a stage of a sweep and a nightly run each make a plan; run/execution.h
 * executes any of them. Invariant: a plan does not change while it is executed.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "plan/knobs.h"
#include "plan/plan.h"
#include "results/env.h"
#include "util/names.h"

/* Makes a build that the store lacks again, by the env of its accepted numbers. */
typedef enum sg_code sg_rebuild_fn(void *context, const struct sg_env *accepted, const char *family,
                                   const char *digest, struct sg_err *err);

struct sg_run_options {
    const char *suite;
    const char *out;    /* NULL: out/<suite>-<date> */
    const char *config; /* a file of knobs; NULL: the suite's, if any */
    struct sg_filters filters;
    struct sg_names metrics; /* empty: the suite's */
    struct sg_names modules;
    uint64_t gpu, seed, jobs;
    uint64_t gpus;                  /* bit N: on GPU N (schedule/gpus.h); 0: only on `gpu` */
    const struct sg_env *gpu_facts; /* of GPU `gpu`, from a worker; NULL: ask one when needed */
    bool seed_given, resume;
    bool against_accepted;  /* also time against the accepted build, if available */
    sg_rebuild_fn *rebuild; /* makes an accepted build that the store lacks; may be NULL */
    void *rebuild_context;
    /* Nightly runs: time only rows that changed since their numbers were accepted, and a few that
     * have not been timed for a long time. The folder of the history; "": no history, NULL: time
     * all rows. */
    const char *timed_since;
    bool energy;             /* measure energy, whatever the suite says */
    bool shared_gpu_allowed; /* do not refuse other processes on the GPU, MIG or MPS */
    double deadline_s; /* by sg_monotonic_s: no process that would end later begins; 0: none */
    const struct sg_sweep_stage *sweep; /* NULL: not a stage of a sweep */
    struct sg_names more; /* FAMILY/CASE/VARIANT to time SG_SEQUENTIAL_PROCESSES_MAX times */
};

/* An item of this run to be timed against the build of its accepted numbers. */
struct sg_accepted_pair {
    size_t own;      /* index of this run's item */
    size_t accepted; /* index of the accepted build's item; SG_NO_ITEM: none */
    char *why;       /* owned; why there is none */
    char digest[17]; /* digest of the accepted build; "": unknown */
    char *identity;  /* owned; code identity when accepted (results/identity.h); NULL: unknown */
};
struct sg_accepted_pairs {
    struct sg_accepted_pair *items; /* owned; in plan order */
    size_t count;
    struct sg_env env; /* owned; env of the accepted numbers */
};

/* A module whose digest has its own key in env.csv; borrowed. */
struct sg_code_side {
    const char *key;
    const struct sg_listed_family *family;
    enum sg_item_build build;
};

struct sg_run_plan {
    struct sg_item *items; /* owned */
    size_t count, capacity;
    size_t own_count;     /* number of first items: variants of modules that are not only timed */
    size_t program_count; /* number of trailing items: each represents a program's kernels */
    struct sg_listed_family programs;     /* owned; the family of these items */
    struct sg_knob_settings knobs;        /* owned; knobs of items, by item name */
    struct sg_settings settings;          /* the suite's, or the command's */
    const struct sg_suite *suite;         /* borrowed; name, families with their settings, sizes */
    const struct sg_module_list *modules; /* borrowed */
    const struct sg_module_list *others;  /* borrowed; modules of SG_BUILD_OTHER; NULL: none */
    struct sg_catalogue catalogue;        /* owned */
    const struct sg_metric **metrics;     /* owned; requested in the count pass */
    size_t metric_count;
    struct sg_text drift;              /* owned; module of the drift references; "": none */
    struct sg_text command;            /* owned; arguments that repeat it, without --out */
    struct sg_env identity;            /* owned; more facts of the run's identity */
    struct sg_accepted_pairs accepted; /* owned; empty without --against-accepted */
    struct sg_code_side code[2];       /* if empty, each family has the key code.<family> */
    size_t code_count;
    struct sg_listed_variant *called; /* owned with their names; variants under other names */
    size_t called_count;
    const char *baseline_name; /* borrowed; baseline of every item; NULL: see the items */
    bool pairs_baseline;       /* add a row of the baseline's ratio to itself */
    bool judges_energy;        /* a sequential test decides by energy, not by time */
};

/* What a plan of `solgate run` borrows. */
struct sg_run_inputs {
    struct sg_suite suite;
    struct sg_module_list modules, accepted_builds;
};

/* Loads the inputs and makes the plan. */
enum sg_code sg_run_plan_make(const struct sg_run_options *options, struct sg_run_inputs *inputs,
                              struct sg_run_plan *plan, struct sg_err *err);

/* Appends the command line after `solgate` that repeats the run, without --out. */
void sg_run_command(const struct sg_run_options *options, struct sg_text *command);

/* Parts of sg_run_plan_make, for a caller that adds its own items. */

struct sg_item *sg_run_plan_add(struct sg_run_plan *plan, const struct sg_item *item);
/* Call when all items and settings are added: gives each item its knobs and counts the items. */
void sg_run_plan_close(struct sg_run_plan *plan);
/* Selects the given metrics, or the suite's if the list is empty. */
enum sg_code sg_run_plan_choose_metrics(struct sg_run_plan *plan, const struct sg_names *names,
                                        struct sg_err *err);
/* Finds the drift references, if they were built. Without them the run reports unknown drift. */
enum sg_code sg_run_plan_find_drift(struct sg_run_plan *plan, struct sg_err *err);
/* SG_BAD_INPUT with file and line: the family lacks something that the setting names. */
enum sg_code sg_knob_setting_check(const struct sg_knob_setting *setting,
                                   const struct sg_listed_family *family, const char *path,
                                   struct sg_err *err);

/* The change that the family's pairs must resolve: its tolerance, or the suite's; ratio. */
double sg_run_plan_tolerance(const struct sg_run_plan *plan, const char *family);
/* True if any item needs a GPU; true if any item needs none. */
bool sg_run_plan_needs_gpu(const struct sg_run_plan *plan);
bool sg_run_plan_needs_host(const struct sg_run_plan *plan);
/* Prints a line on stderr if no item needs a GPU. */
void sg_run_plan_print_simulated(const struct sg_run_plan *plan);

/*
 * worker/session.h - one pass of a worker: its order (struct sg_order), and the state that its
 * items share.
 *
 * session.c has the devices, opened once, and prepares variants to run on them. It keeps the
 * buffers of recent cases, because items of a case need not be consecutive. Each pass has its own
 * file. Invariant: whatever a variant does wrong is an outcome of its item; an error ends the pass.
 */
#pragma once

#include "results/settings.h"
#include "results/validity.h"
#include "util/names.h"
#include "worker/case_buffers.h"
#include "worker/pair_placements.h"
#include "worker/protocol_writer.h"

#define SG_PASS_TABLE(X)            \
    X(SG_PASS_LIST, "list")         \
    X(SG_PASS_DESCRIBE, "describe") \
    X(SG_PASS_DOCTOR, "doctor")     \
    X(SG_PASS_VERIFY, "verify")     \
    X(SG_PASS_TIME, "time")         \
    X(SG_PASS_COUNT, "count")       \
    X(SG_PASS_TRACE, "trace")       \
    X(SG_PASS_WHERE, "where")       \
    X(SG_PASS_LAUNCH, "launch")

enum sg_pass_kind {
#define X(constant, word) constant,
    SG_PASS_TABLE(X)
#undef X
        SG_PASS_KINDS
};
const char *sg_pass_word(enum sg_pass_kind kind);

struct sg_asked {
    const char *item;        /* borrowed; FAMILY/CASE/VARIANT */
    double tolerance, noise; /* ratios; 0: not given */
};

struct sg_asked_items {
    struct sg_asked *items; /* owned */
    size_t count, capacity;
};

/* The command line of a worker (docs/formats.md). */
struct sg_order {
    enum sg_pass_kind kind;
    struct sg_names modules, against, metrics; /* against: modules with other builds of families */
    struct sg_names others;                    /* NAME:VARIANT of the variants from `against` */
    struct sg_names cases; /* cases that a suite adds to families (worker/module_loader.h) */
    struct sg_asked_items asked;
    struct sg_knob_settings knobs; /* owned; items with knobs, or not named like their variant */
    const char
        *baseline;     /* the variant that items are paired with; NULL: their family's baseline */
    const char *built; /* digest of the build of a verification's module; NULL: compute it from the
                          module */
    const char *code;  /* where pass: folder for the sampled code */
    const char *out, *range, *kernel; /* trace pass: folder of the run; which kernels, NULL: all */
    const char *file;     /* trace pass: of results that the program writes; NULL: it is traced */
    const char *kept;     /* trace pass: folder to keep the traces in; NULL: report rows */
    const char *gpu_name; /* trace pass: from an earlier start; NULL: ask the driver */
    char *const *program; /* trace pass: command that ends with NULL */
    const char *drift;    /* module of the drift references; NULL: not timed */
    uint64_t seed;
    unsigned gpu, process, attempt;
    struct sg_settings settings;
    bool standby; /* a time or count pass is started ahead (process/standby.h) */
};

/* Monitoring during the items of a time pass (worker/gpu_monitor.c). */
struct sg_watch {
    struct sg_modules modules; /* at most one; none if the drift references are in a module of the
                                  pass, or not timed */
    bool has_references;
    struct sg_target targets[SG_DRIFT_COUNT];
    uint64_t events;   /* events seen so far */
    bool events_known; /* read at least once */
    double others;     /* maximum number of other processes seen after an item */
};

/* The kernels that the baseline of a gate launches alone, before a candidate runs. */
struct sg_alone {
    const struct sg_case *c;
    const struct sg_named_variant *baseline;  /* for a pair of builds: the current one */
    char kernel_names[SG_KERNEL_NAMES_BYTES]; /* as in struct sg_batch */
};

struct sg_counting;
struct sg_pass {
    const struct sg_order *order; /* borrowed */
    struct sg_emitter *emitter;   /* borrowed */
    struct sg_modules modules, against;
    struct sg_target *targets; /* owned; one per item */
    struct sg_device
        *device[SG_HOST + 1];  /* owned; by enum sg_device_kind; NULL while not needed */
    struct sg_buffers **cases; /* owned, with the elements; buffers of recent cases */
    size_t case_count, case_capacity;
    struct sg_counting *counting;   /* owned; its metrics; SG_PASS_COUNT only */
    struct sg_watch watch;          /* owned; SG_PASS_TIME only */
    struct sg_module_copies copies; /* owned; SG_PASS_TIME only */
    struct sg_alone *alone;         /* owned; SG_PASS_TIME of a Python gate only */
    size_t alone_count, alone_capacity;
    uint64_t
        secret;   /* random, from the system; values that no variant may predict derive from it */
    bool bare;    /* buffers have no guards: SG_PASS_LAUNCH and SG_PASS_WHERE */
    bool spoiled; /* an item failed: measure nothing more here, send bye early */
};

/* Runs the order and reports everything, from hello to bye or fail. Returns the worker's exit
 * code. */
enum sg_code sg_pass_run(const struct sg_order *order, struct sg_emitter *emitter,
                         struct sg_err *err);

/* The device of a target's family; already open. */
struct sg_device *sg_pass_device(const struct sg_pass *pass, const struct sg_target *target);
/* Opens buffers of the target's case, which the caller owns. NULL with SG_OOM in outcome or with
 * err set. */
struct sg_buffers *sg_pass_open_case(struct sg_pass *pass, const struct sg_target *target,
                                     struct sg_outcome *outcome, struct sg_err *err);
/* Buffers of the target's case, borrowed until the next call, with the contents of the last use.
 * NULL with SG_OOM in outcome or with err set. */
struct sg_buffers *sg_pass_buffers(struct sg_pass *pass, const struct sg_target *target,
                                   struct sg_outcome *outcome, struct sg_err *err);

/* Checks, before any allocation, that the variant supports its case and that the device runs its
 * module's code. A time pass also checks the baseline's code. False: SG_UNSUPPORTED in outcome. */
bool sg_pass_can_run(const struct sg_pass *pass, const struct sg_target *target,
                     struct sg_outcome *outcome);
/* Reports the outcome of a failed item, or of the baseline it is paired with. Marks the pass as
 * spoiled if the status requires that (worker/output_check.h). */
void sg_pass_report_failure(struct sg_pass *pass, const struct sg_target *target,
                            const struct sg_outcome *outcome);
void sg_pass_forget(struct sg_pass *pass); /* frees the buffers of all cases */

/* Calls `prepare` on the buffers. A refusal, or an error that `prepare` leaves behind, goes to
 * outcome. After SG_OK call sg_runnable_finish while the knobs still exist. */
enum sg_status sg_runnable_prepare(struct sg_runnable *runnable, struct sg_buffers *buffers,
                                   const struct sg_configured_variant *configured,
                                   struct sg_outcome *outcome);
/* SG_OK, or SG_MISPLACED in outcome: launches since `before` was read changed settings of the
 * context. */
enum sg_status sg_runnable_check_settings(struct sg_device *device,
                                          const struct sg_context_settings *before,
                                          struct sg_outcome *outcome);
/* An error that `finish` leaves behind goes to outcome. Restores the settings of the context from
 * before the preparation, so finish in reverse order of preparation. */
void sg_runnable_finish(struct sg_runnable *runnable, struct sg_device *device,
                        struct sg_outcome *outcome);

/* ---- pass_verify.c ---- */

#define SG_VERIFY_SEEDS   3
#define SG_VERIFY_REPEATS 20

/* For a correct item, reports the status, the work, the error (the largest of the seeds) and the
 * facts. For wrong outputs, reports the status (outcome->is_reported) and
 * how they are wrong (worker/error_report.h), after up to two more launches. The caller reports any
 * other outcome. */
enum sg_code sg_verify_item(struct sg_pass *pass, const struct sg_target *target,
                            struct sg_outcome *outcome, struct sg_err *err);
/* Reports a row for each number of the work of the target's case. */
void sg_emit_work(struct sg_emitter *emitter, const struct sg_target *target);

/* ---- variant_facts.c ---- */

/* SG_BAD_INPUT names the fact, the expected and the found value. */
enum sg_code sg_variant_facts_check(const struct sg_target *target, struct sg_err *err);
/* Reports a row for each fact. Call sg_variant_facts_check first. */
void sg_variant_facts_emit(struct sg_emitter *emitter, const struct sg_target *target,
                           const struct sg_runnable *runnable);
/* What the variant is made of (results/identity.h); `module` is its module's file, `device` the
 * device it runs on. Call this once, after launches and before `finish`. */
struct sg_built_module {
    const char *path; /* NULL: not a file */
    const char
        *digest; /* digest of the build (plan/built_difference.h); NULL: compute it from the file */
};
void sg_variant_identity_add(const struct sg_target *target, const struct sg_built_module *module,
                             struct sg_device *device, struct sg_text *out);

/* ---- pair_sides.c ---- */

bool sg_is_aa_pair(const struct sg_target *target);

/* Both sides share buffers: SG_UNSUPPORTED if the case of two builds has different buffers. */
bool sg_check_layout(const struct sg_target *target, struct sg_outcome *outcome);

/* True if this process loads the code of candidates first. */
bool sg_loads_candidate_first(const struct sg_pass *pass);

/* Takes a baseline batch of a Python gate. Stores its kernels for an A/A pair; otherwise sets
 * SG_MISPLACED if they differ from the stored kernels. */
void sg_compare_with_alone(struct sg_pass *pass, const struct sg_target *target,
                           const struct sg_batch *batch, struct sg_outcome *outcome);

/* ---- pass_time.c ---- */

/* Reports the samples of an item; the caller reports any outcome other than SG_OK. */
enum sg_code sg_time_item(struct sg_pass *pass, const struct sg_target *target,
                          struct sg_outcome *outcome, struct sg_err *err);

/* Allocates and fills the buffers of the target's case without running code of its variants. Does
 * not keep buffers that are too large to coexist with those of other processes. */
void sg_time_prepare(struct sg_pass *pass, const struct sg_target *target);

/* ---- pass_count.c ---- */

/* SG_BAD_INPUT for a name that is neither a metric nor a group. */
enum sg_code sg_counting_open(struct sg_counting **counting, const struct sg_names *names,
                              struct sg_err *err);
void sg_counting_end(struct sg_counting *counting);

/* Call once per device, before its first item. */
enum sg_code sg_counting_begin(struct sg_counting *counting, struct sg_device *device,
                               const struct sg_order *order, struct sg_err *err);

/* Counts all items of the order, in sets that fit the device's memory. Reports their values, or the
 * status of those that failed. */
enum sg_code sg_count_items(struct sg_pass *pass, struct sg_err *err);

/* ---- pass_trace.c ---- */

enum sg_code sg_pass_trace(const struct sg_order *order, struct sg_emitter *emitter,
                           struct sg_err *err);

/* ---- gpu_monitor.c ---- */

/* Finds or loads the module of the drift references, if the order names one. Items of the
 * references' cases share the references' buffers. `loaded` must outlive *watch. SG_BAD_INPUT or
 * SG_BAD_USAGE: the module lacks the references. */
enum sg_code sg_watch_open(struct sg_watch *watch, const struct sg_order *order,
                           const struct sg_modules *loaded, struct sg_err *err);

/* Allocates and fills the buffers of the drift references, for sg_watch_report. */
void sg_watch_prepare(struct sg_pass *pass);
/* Reports the figures, and the events so far, before the first item and after the last one. */
enum sg_code sg_watch_report(struct sg_pass *pass, enum sg_moment moment, struct sg_err *err);
/* Call after every item: keeps events and the number of other processes. Sets the figures of the
 * state. */
void sg_watch_item(struct sg_pass *pass, double figure[SG_FIGURE_COUNT]);

/* ---- doctor_cuda.c ---- */

/* SG_NO_GPU without a GPU; every other problem is a note. */
enum sg_code sg_cuda_doctor(int gpu, struct sg_emitter *emitter, struct sg_err *err);

/*
 * worker/session.h - one pass of a worker: its request (struct
 * sg_order), and what its items share.
 *
 * The passes themselves are worker/pass_verify.h, worker/pass_time.h and worker/pass_count.h: one
 * function an item. Here are the devices, opened once, the buffers of the cases seen lately, kept
 * because items of a case need not follow each other, and a variant made ready to run on them.
 * Invariant: whatever a variant does wrong is an outcome of its item; an error ends the pass.
 */
#pragma once

#include "results/validity.h"
#include "util/names.h"
#include "worker/case_buffers.h"
#include "worker/pair_places.h"
#include "worker/protocol_writer.h"

#define SG_PASS_TABLE(X)            \
    X(SG_PASS_LIST, "list")         \
    X(SG_PASS_DESCRIBE, "describe") \
    X(SG_PASS_DOCTOR, "doctor")     \
    X(SG_PASS_VERIFY, "verify")     \
    X(SG_PASS_TIME, "time")         \
    X(SG_PASS_COUNT, "count")       \
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
    struct sg_names modules, against, metrics; /* against: other builds of families */
    struct sg_names others;                    /* NAME:VARIANT of what is taken from them */
    struct sg_names cases;                     /* that a suite adds to families (worker/module_loader.h) */
    struct sg_asked_items asked;
    struct sg_settings settings; /* owned; items that are called otherwise than their variant, or have knobs set */
    const char *baseline;        /* what items are paired with; NULL: their family's baseline */
    const char *built;           /* digest of what was built of the module of a verification; NULL: it is read */
    const char *code;            /* folder where a where pass leaves the code that it sampled */
    const char *drift;           /* module of the drift references; NULL: they are not timed */
    uint64_t seed;
    unsigned gpu, process, attempt, blocks, launches, pilot_ms;
    unsigned repeats;    /* of a count pass: counts of each item; 1 or more */
    bool standby;        /* a time or count pass that is started ahead of its turn (process/standby.h) */
    unsigned segment_ms; /* a batch is a segment of launches on end for so long; 0: it is not */
    enum sg_l2 l2;
};

/* What goes on besides the items of a time pass (worker/gpu_monitor.h). */
struct sg_watch {
    struct sg_modules modules; /* one, or none: the drift references are of a module of the pass, or not timed */
    bool has_references;
    struct sg_target targets[SG_DRIFT_COUNT];
    uint64_t events;   /* seen so far */
    bool events_known; /* were they read at least once? */
    double others;     /* most processes of others that were seen behind an item */
};

/* What the baseline of a gate runs by itself, before a candidate does. */
struct sg_alone {
    const struct sg_case *c;
    const struct sg_named_variant *baseline;  /* of a pair of builds, that of today */
    char kernel_names[SG_KERNEL_NAMES_BYTES]; /* as of a batch */
};

struct sg_pass {
    const struct sg_order *order; /* borrowed */
    struct sg_emitter *emitter;   /* borrowed */
    struct sg_modules modules, against;
    struct sg_target *targets;             /* owned; one an item */
    struct sg_device *device[SG_HOST + 1]; /* owned; by enum sg_device_kind, NULL while not needed */
    struct sg_buffers **cases;             /* owned, and what they point to; of the cases seen lately */
    size_t case_count, case_capacity;
    struct sg_counting *counting;   /* owned; SG_PASS_COUNT only */
    struct sg_watch watch;          /* owned; SG_PASS_TIME only */
    struct sg_module_copies copies; /* owned; SG_PASS_TIME only */
    struct sg_alone *alone;         /* owned; SG_PASS_TIME of a guest only */
    size_t alone_count, alone_capacity;
    uint64_t secret; /* drawn by the system: what no variant can foresee follows from it */
    bool bare;       /* buffers have no guards: SG_PASS_LAUNCH and SG_PASS_WHERE */
    bool spoiled;    /* an item failed: nothing more is measured here, and bye is said early */
};

/* Does everything the order says and reports it, from hello to bye or fail. Returns
 * the code the worker leaves with. */
enum sg_code sg_pass_run(const struct sg_order *order, struct sg_emitter *emitter, struct sg_err *err);

/* Device of a target's family; open since the pass began. */
struct sg_device *sg_pass_device(const struct sg_pass *pass, const struct sg_target *target);
/* Buffers of the target's case for the caller, open; NULL with
 * SG_OOM in outcome or with err set. */
struct sg_buffers *sg_pass_open_case(struct sg_pass *pass, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err);
/* Buffers of the target's case, borrowed until the next call; filled as they were left. NULL with
 * SG_OOM in outcome or with err set. */
struct sg_buffers *sg_pass_buffers(struct sg_pass *pass, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err);

/*
 * Before anything is allocated: does the target's variant take its case, and does
 * the device run the code of its module, and in a time pass of its baseline's?
 * Else SG_UNSUPPORTED goes to outcome.
 */
bool sg_pass_can_run(const struct sg_pass *pass, const struct sg_target *target, struct sg_outcome *outcome);
/* Says the outcome of an item that failed, or of the baseline beside it, and that the pass is
 * spoiled where it is (worker/output_check.h). */
void sg_pass_report_failure(struct sg_pass *pass, const struct sg_target *target, const struct sg_outcome *outcome);
void sg_pass_forget(struct sg_pass *pass); /* lets go of the buffers of all cases */

/*
 * `prepare`s it on the buffers; what it refuses goes to outcome, and so does an
 * error that it leaves behind. Undone by sg_runnable_finish, while the knobs are
 * still there; if it returns SG_OK.
 */
enum sg_status sg_runnable_prepare(struct sg_runnable *runnable, struct sg_buffers *buffers, const struct sg_configured_variant *way,
                                   struct sg_outcome *outcome);
/* SG_OK, or SG_MISPLACED in outcome: launches behind the reading of `before`
 * changed settings of the context. */
enum sg_status sg_runnable_check_settings(struct sg_device *device, const struct sg_context_settings *before, struct sg_outcome *outcome);
/* An error that it leaves behind goes to outcome. Settings of the context are as before its
 * preparation: the last prepared is finished first. */
void sg_runnable_finish(struct sg_runnable *runnable, struct sg_device *device, struct sg_outcome *outcome);

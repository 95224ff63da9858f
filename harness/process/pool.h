/*
 * process/pool.h - runs solgate-worker processes: process group, deadline, captured output,
 * descriptor 3, death with the parent.
 *
 * Workers are started with posix_spawn and an argument vector, never through a shell, or earlier by
 * the caller (process/standby.h). Standard input is /dev/null. Standard output and error are
 * drained, keeping the last SG_CAPTURE_BYTES, so a worker may print a gigabyte. The deadline
 * applies to one item: every progress message restarts it (results/message.h), and `setup` extends
 * it, also before the hello. After the deadline
 * the group gets SIGTERM, and SG_KILL_GRACE_S later SIGKILL. No worker outlives the parent
 * (process/worker_process.h), and processes that a worker started in its group end with it. Two
 * pools may run in one process, but a stop signal reaches only one of them. Use one process for
 * each if both must stop. Invariant: every started job ends in exactly one sg_worker_end, whatever
 * the worker does.
 */
#pragma once

#include <signal.h>

#include "results/message.h"
#include "util/err.h"

#define SG_CAPTURE_BYTES 4096
#define SG_KILL_GRACE_S  1.0

enum sg_worker_fate {
    SG_WORKER_FINISHED, /* said bye and exited with 0 */
    SG_WORKER_EXITED,   /* exited without bye, or with another status */
    SG_WORKER_SIGNALLED,
    SG_WORKER_LATE,           /* killed after its deadline */
    SG_WORKER_BROKE_PROTOCOL, /* killed after sending an invalid or unexpected message */
    SG_WORKER_STOPPED,        /* killed because solgate is being stopped */
};

struct sg_worker_end {
    enum sg_worker_fate fate;
    bool said_bye;
    int exit_status; /* for SG_WORKER_EXITED */
    int signal;      /* for SG_WORKER_SIGNALLED */
    double wall_s;
    char violation[160];           /* for SG_WORKER_BROKE_PROTOCOL: the fault of its message */
    char output[SG_CAPTURE_BYTES]; /* end of its output, terminated, unprintable bytes replaced */
};

/* Returns true if the worker failed after its bye. No launch ran then, only destructors and
 * atexit functions of its modules. */
bool sg_worker_died_behind_bye(const struct sg_worker_end *end);

/* `how`: the status of waitpid. */
void sg_worker_end_set(struct sg_worker_end *end, int how, bool said_bye);

struct sg_worker_process;

struct sg_worker_job {
    const char *const *argv; /* NULL-terminated; argv[0] is the worker's path */
    /* the first message must be the hello of this pass, or fail; NULL: any pass */
    const char *pass;
    double deadline_s; /* > 0, for one item */
    /* for the time to the first item, if longer: a crowded host takes seconds to open a GPU */
    double start_up_s;
    /* A worker started by the caller; NULL: the pool starts one. After its bye the worker is
     * still alive and belongs to the caller again; pid 0: it has ended. */
    struct sg_worker_process *process;
    void *context;
    /* Called for every message. SG_INVALID, or SG_BAD_INPUT without a place, marks an invalid
     * message: its worker broke the protocol and is killed, the others continue. Any other error
     * kills all workers and ends sg_workers_run with that error. */
    enum sg_code (*on_message)(void *context, const struct sg_message *message, struct sg_err *err);
    /* Called once for each started job, when `end` is filled; may be NULL. An error ends
     * sg_workers_run. */
    enum sg_code (*on_end)(void *context, const struct sg_worker_job *job, struct sg_err *err);
    struct sg_worker_end end; /* result */
    bool started;
    /* Set by on_end: jobs whose mark `started` on_end has cleared are started again. */
    bool again;
};

/* Runs the jobs in order, at most `parallel` (>= 1) at a time. SG_INTERRUPTED after SIGINT,
 * SIGTERM or SIGHUP, when every worker has ended; a second signal skips the grace period.
 * SG_SYSTEM if a process cannot be started. These signals are blocked only during the call, and
 * stay ignored if the caller ignores them. SIGCHLD must not be ignored. The callbacks run in the
 * calling thread. */
enum sg_code sg_workers_run(struct sg_worker_job *jobs, size_t count, size_t parallel,
                            struct sg_err *err);

/* For a caller that runs workers repeatedly: holds these signals between the runs, so that the
 * next run sees them. */
void sg_signals_hold(sigset_t *before);
void sg_signals_let_go(const sigset_t *before);

/* One line for people with the last line of the output: "killed by SIGSEGV", "no word for 20 s:
 * killed". */
void sg_worker_describe(const struct sg_worker_job *job, struct sg_text *out);
/* The same without the output, which may belong to another item of the worker. */
void sg_worker_describe_fate(const struct sg_worker_job *job, struct sg_text *out);

/* "SIGSEGV"; never NULL. */
const char *sg_signal_name(int number);

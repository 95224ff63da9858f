/*
 * process/pool.h - runs solgate-worker processes: own process group, deadline, captured output,
 * descriptor 3, death with the parent.
 *
 * Started with posix_spawn and an argument vector, never through a shell, or before, by the caller
 * (process/standby.h); standard input is /dev/null. Standard output and error are drained and only
 * their last SG_CAPTURE_BYTES kept, so that a worker may print a gigabyte. The deadline is of
 * one item: it starts anew with every message that is progress (results/message.h). Past it the
 * group gets SIGTERM, SG_KILL_GRACE_S later SIGKILL. No worker outlives the parent, however the
 * parent ends (process/group_reaper.h), and what a worker started in its group ends with it. Two
 * pools may run in one process, but a signal that is to stop them reaches only one: what is to be
 * stopped as a whole takes a process for each. Invariant: every job that was started ends in
 * exactly one sg_worker_end, whatever the worker does.
 */
#pragma once

#include <signal.h>

#include "results/message.h"
#include "util/err.h"

#define SG_CAPTURE_BYTES 4096
#define SG_KILL_GRACE_S  1.0

enum sg_worker_fate {
    SG_WORKER_FINISHED, /* said bye and left with 0 */
    SG_WORKER_EXITED,   /* left by itself without bye, or with another status */
    SG_WORKER_SIGNALLED,
    SG_WORKER_LATE,           /* passed its deadline and was killed */
    SG_WORKER_BROKE_PROTOCOL, /* sent something that is no message, or not now; killed */
    SG_WORKER_STOPPED,        /* killed because solgate itself is being stopped */
};

struct sg_worker_end {
    enum sg_worker_fate fate;
    bool said_bye;
    int exit_status; /* SG_WORKER_EXITED */
    int signal;      /* SG_WORKER_SIGNALLED */
    double wall_s;
    char violation[160];           /* SG_WORKER_BROKE_PROTOCOL: what was wrong with its message */
    char output[SG_CAPTURE_BYTES]; /* end of what it printed, terminated, unprintable bytes replaced */
};

/* Did it say its last word and then not simply leave? What ran behind that was
 * no launch: destructors and atexit functions of its modules. */
bool sg_worker_died_behind_bye(const struct sg_worker_end *end);

/* Of the status that waitpid has. */
void sg_worker_end_set(struct sg_worker_end *end, int how, bool said_bye);

struct sg_worker_process;

struct sg_worker_job {
    const char *const *argv; /* NULL-terminated; argv[0] is the worker's path */
    const char *pass;        /* its first message must be the hello of this pass, or fail; NULL: any */
    double deadline_s;       /* > 0, of one item */
    double start_up_s;       /* of getting to the first item, where that is longer: a crowded host takes seconds to open a GPU */
    /* One that the caller has started; NULL: it is started here. Behind its bye it is the caller's
     * again, and still there; its pid is 0 if it has ended. */
    struct sg_worker_process *process;
    void *context;
    /*
     * For every message. SG_INVALID, or SG_BAD_INPUT without a place: the message makes no sense;
     * its worker broke the protocol and is killed, the others go on. Any other code but SG_SUCCESS
     * kills all workers and ends sg_workers_run with that error.
     */
    enum sg_code (*on_message)(void *context, const struct sg_message *message, struct sg_err *err);
    /* When `end` is filled, once for each job that was started; may be
     * NULL. An error ends sg_workers_run. */
    enum sg_code (*on_end)(void *context, const struct sg_worker_job *job, struct sg_err *err);
    struct sg_worker_end end; /* filled */
};

/*
 * Runs the jobs, at most `parallel` (>= 1) at a time, in order. SG_INTERRUPTED after SIGINT,
 * SIGTERM or SIGHUP (every worker is gone by then; a second signal does not wait for the grace);
 * SG_SYSTEM if a process cannot be started. These signals are blocked only while it runs, and stay
 * ignored where the caller ignores them; SIGCHLD must not be ignored. The functions of the jobs are
 * called from the calling thread only.
 */
enum sg_code sg_workers_run(struct sg_worker_job *jobs, size_t count, size_t parallel, struct sg_err *err);

/* For a caller that runs workers again and again: keeps these signals from the moments between, so
 * that the next run sees them. */
void sg_signals_hold(sigset_t *before);
void sg_signals_let_go(const sigset_t *before);
/* Between runs of workers: the one that has come, which is then taken; 0: none has. */
int sg_signals_take(void);

/* One line for people: "killed by SIGSEGV", "no word for 20 s: killed",
 * with the last line of its output. */
void sg_worker_describe(const struct sg_worker_job *job, struct sg_text *out);
/* The same without what it printed, which in a worker of many items may be another item's. */
void sg_worker_describe_fate(const struct sg_worker_job *job, struct sg_text *out);

/* "SIGSEGV"; never NULL. */
const char *sg_signal_name(int number);

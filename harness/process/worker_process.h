/*
 * process/worker_process.h - start and end of one worker process in a new process group.
 *
 * Standard input is /dev/null, or the other end of a socket. Standard output and error share a
 * pipe, descriptor 3 is another pipe.
 *
 * A guard process leads the group of one worker and kills it when solgate ends. The guard waits at
 * the reading end of a pipe, the lifeline, whose only writing end is solgate's. When solgate ends
 * in any way, the pipe closes and the guard kills its group, including itself. Invariants: a worker
 * is in its guard's group before its first instruction, so no worker is ever left over. The guard
 * is reaped last, so its group's number stays in use and no other process can be hit.
 */
#pragma once

#include <sys/types.h>

#include "util/err.h"

struct sg_lifeline {
    int reading, writing;
};

enum sg_code sg_lifeline_open(struct sg_lifeline *lifeline, struct sg_err *err);
void sg_lifeline_close(struct sg_lifeline *lifeline);

struct sg_worker_process {
    pid_t pid, group;
    int output, messages; /* reading ends, non-blocking; -1: closed */
    /* pidfd, readable when the process has ended; two pools of one process share SIGCHLD */
    int alive;
    int begin; /* our end of its standard input; -1: standard input is /dev/null */
};

/* argv is NULL-terminated. After SG_SYSTEM nothing is left open. */
enum sg_code sg_worker_process_start(const char *const *argv, bool is_standby,
                                     const struct sg_lifeline *lifeline,
                                     struct sg_worker_process *process, struct sg_err *err);
/* Call after the process ended: kills the rest of its group. Returns the status of waitpid;
 * output and messages stay open. */
int sg_worker_process_reap(struct sg_worker_process *process);
/* Kills the process in any state and closes all descriptors. Returns the status of waitpid. */
int sg_worker_process_kill(struct sg_worker_process *process);

void sg_close_end(int *fd); /* and sets it to -1 */

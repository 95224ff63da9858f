/*
 * process/worker_process.h - start and end of one worker process in a new process group.
 *
 * Standard input is /dev/null, or the other end of a socket. Standard output and error share a
 * pipe, descriptor 3 is another pipe.
 */
#pragma once

#include "process/group_reaper.h"

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

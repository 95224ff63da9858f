/*
 * process/worker_process.h - one worker process: its start, in a group of its own, and its end.
 *
 * Standard input is /dev/null, or the other end of a socket. Standard output and error are one
 * pipe, descriptor 3 another.
 */
#pragma once

#include "process/group_reaper.h"

struct sg_worker_process {
    pid_t pid, group;
    int output, messages; /* reading ends, non-blocking; -1: closed */
    int alive;            /* its pidfd, readable when it has ended: two pools of one process share SIGCHLD */
    int turn;             /* our end of its standard input; -1: that is /dev/null */
};

/* argv ends with NULL. SG_SYSTEM: nothing is left of it. */
enum sg_code sg_worker_process_start(const char *const *argv, bool has_turn, const struct sg_lifeline *lifeline,
                                     struct sg_worker_process *process, struct sg_err *err);
/* Behind the end of the process: ends what is left in its group. Returns the status of waitpid;
 * output and messages stay open. */
int sg_worker_process_reap(struct sg_worker_process *process);
/* Kills it, whatever it does, and closes all; the same. */
int sg_worker_process_kill(struct sg_worker_process *process);

void sg_close_end(int *fd); /* and sets it to -1 */

/*
 * process/standby.h - workers that are started ahead of their turn, so that one measures while no
 * other starts, and none waits for a start.
 *
 * Each has SG_STANDBY_OPTION behind its arguments, and a socket as standard input. It prepares what
 * it can without code of a variant, writes a byte, and reads one: how many others are there. Then
 * it goes on as any worker. Nothing that it reports is read before its turn, and its deadline
 * begins then. Behind its bye it reads until the socket closes, and ends with the others: the end
 * of a process works on the GPU, too. Invariant: one that is not ready for its turn is killed, and
 * its job begins with a worker that is started as usual: so whatever a worker does, it does in its
 * turn.
 */
#ifndef SG_PROCESS_STANDBY_H
#define SG_PROCESS_STANDBY_H

#include "process/pool.h"
#include "process/worker_process.h"
#include "util/names.h"

#define SG_STANDBY_OPTION "--standby"

struct sg_standby_worker {
    struct sg_names argv; /* owned; SG_STANDBY_OPTION is the last one */
    struct sg_worker_process process;
    bool is_ready;
};

/* All zero: none is there. */
struct sg_standby {
    struct sg_standby_worker *workers; /* owned; those that wait */
    size_t count, capacity;
    struct sg_worker_process *parked; /* owned; those that said bye */
    size_t parked_count, parked_capacity;
    struct sg_lifeline lifeline; /* while there is room for any */
};

/* Starts one; argv is taken over. What cannot be started is not there. */
void sg_standby_start(struct sg_standby *standby, struct sg_names *argv);
/* Until each is ready or has ended, for so many seconds at most, or a signal that is to stop them
 * all is pending; ends those that are not ready. */
void sg_standby_settle(struct sg_standby *standby, double seconds);
bool sg_standby_has(const struct sg_standby *standby, const char *const *argv);
/* It is its turn: the process is the caller's. False: none waits with these arguments. */
bool sg_standby_take(struct sg_standby *standby, const char *const *argv, struct sg_worker_process *process);
/* Ends those that wait. */
void sg_standby_forget(struct sg_standby *standby);
/* How many there are, beside one that measures. */
size_t sg_standby_others(const struct sg_standby *standby);
/* Of one that said bye: the process is the standby's again. */
void sg_standby_park(struct sg_standby *standby, struct sg_worker_process *process);
/* The parked ones may end, and all of them do; *left: as one of them left that did not exit
 * with 0. */
bool sg_standby_dismiss(struct sg_standby *standby, double seconds, struct sg_worker_end *left);
/* Kills all of them. */
void sg_standby_clear(struct sg_standby *standby);

#endif

/*
 * process/standby.h - workers that start ahead of their turn, so that one measures while no other
 * starts or ends, and none waits for a start.
 *
 * Each has SG_STANDBY_OPTION behind its arguments, and a socket as standard input. It prepares what
 * it can without code of a variant, writes a byte, and reads one: how many others are there. Then
 * it goes on as any worker: process/pool.h reads what it reports. Behind its bye it reads until the
 * socket closes, and ends with the others: the end of a process works on the GPU, too. Invariant:
 * turns come in the order of starts, and one that is not ready for its turn is killed: its job
 * begins with a worker that is started as usual, so that whatever a worker does, it does in its
 * turn.
 */
#pragma once

#include "process/pool.h"
#include "process/worker_process.h"
#include "util/names.h"

#define SG_STANDBY_OPTION "--standby"

struct sg_standby_worker {
    struct sg_names argv; /* owned; SG_STANDBY_OPTION is the last one */
    struct sg_worker_process process;
};

/* All zero: none is there. */
struct sg_standby {
    struct sg_standby_worker *workers; /* owned; in the order of their turns */
    size_t count, capacity, begun;     /* begun: so many had their turn */
    struct sg_lifeline lifeline;       /* while there is room for any */
};

/* Starts one; argv is taken over. SG_SYSTEM: it is not there. */
enum sg_code sg_standby_start(struct sg_standby *standby, struct sg_names *argv, struct sg_err *err);
/* Until each is ready or has ended, for so many seconds at most, or a signal that is to stop them
 * all is pending. Ends the first that is not ready, and those behind it. */
void sg_standby_settle(struct sg_standby *standby, double seconds);
/* Was the next one started with these arguments, and is it alive? */
bool sg_standby_is_next(const struct sg_standby *standby, const struct sg_names *argv);
/* It is the turn of the next one, which is there, to be run by process/pool.h. */
struct sg_worker_process *sg_standby_take(struct sg_standby *standby);
/* How many there are, beside one that measures. */
size_t sg_standby_others(const struct sg_standby *standby);
/* Ends those that wait. */
void sg_standby_forget(struct sg_standby *standby);
/* Those that had their turn end; *left: as one of them left that did not exit with 0. */
bool sg_standby_dismiss(struct sg_standby *standby, double seconds, struct sg_worker_end *left);
/* Kills all of them. */
void sg_standby_clear(struct sg_standby *standby);

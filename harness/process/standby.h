/*
 * process/standby.h - workers started ahead. So a worker measures while no other
 * starts or ends, and no measurement waits for a start.
 *
 * Each has SG_STANDBY_OPTION as its last argument, and a socket as standard input. A worker
 * prepares everything that needs no code of a variant, writes a byte, and reads a byte: the number
 * of other standby workers. Then it works like any worker, and process/pool.h reads its messages.
 * After its bye it reads until the socket closes and ends together with the others, because process
 * exits also use the GPU. Invariant: workers begin in the order of starts. A worker that is not
 * ready then is killed, and its job gets a normally started worker. So no worker begins early.
 */
#pragma once

#include "process/pool.h"
#include "process/worker_process.h"
#include "util/names.h"

#define SG_STANDBY_OPTION "--standby"

struct sg_standby_worker {
    struct sg_names argv; /* owned; the last one is SG_STANDBY_OPTION */
    struct sg_worker_process process;
};

/* All zero: no workers. */
struct sg_standby {
    struct sg_standby_worker *workers; /* owned; in the order of beginning */
    size_t count, capacity, begun;     /* begun: number of workers that may measure */
    struct sg_lifeline lifeline;       /* open if capacity > 0 */
};

/* Starts a worker and takes ownership of argv. SG_SYSTEM: not started. */
enum sg_code sg_standby_start(struct sg_standby *standby, struct sg_names *argv,
                              struct sg_err *err);
/* Waits until each worker is ready or has ended, at most `seconds`, or until a stop signal is
 * pending. Ends the first worker that is not ready and all after it. */
void sg_standby_settle(struct sg_standby *standby, double seconds);
/* Returns true if the next worker has these arguments and is alive. */
bool sg_standby_is_next(const struct sg_standby *standby, const struct sg_names *argv);
/* Lets the next worker begin, which must exist; process/pool.h runs it. */
struct sg_worker_process *sg_standby_take(struct sg_standby *standby);
/* Number of live workers besides one that measures. */
size_t sg_standby_others(const struct sg_standby *standby);
/* Ends the workers that have not begun. */
void sg_standby_forget(struct sg_standby *standby);
/* Ends the workers that have begun. Returns true if all exited with 0; otherwise *left is
 * the end of one that did not. */
bool sg_standby_dismiss(struct sg_standby *standby, double seconds, struct sg_worker_end *left);
void sg_standby_clear(struct sg_standby *standby);

/*
 * worker/pair_placements.h - a pair of variants at several addresses: further copies of its modules
 * and buffers.
 *
 * The addresses of code and buffers change the time of a short kernel. They affect two kernels
 * differently, and so also their ratio (docs/method.md 2). A driver gives the same addresses to the
 * same sequence of loads, so more processes alone do not average over placements; several
 * placements in a process do. Invariant: all placements of a pair share the pools of the inputs.
 */
#pragma once

#include "worker/case_buffers.h"

#define SG_PLACEMENTS_MAX 32

struct sg_pass;

/* Further copies of the pass's modules, for all of its pairs; all zero: none yet. */
struct sg_module_copies {
    struct sg_module_copy *items; /* owned; the modules live as long as the process */
    size_t count, capacity;
};

struct sg_placement {
    struct sg_target target;    /* the variants at this placement */
    struct sg_buffers *buffers; /* borrowed at placement 0, otherwise owned */
    struct sg_runnable side[2]; /* 0: the baseline, 1: the candidate */
};

/* How many placements (1 to SG_PLACEMENTS_MAX) a pair is measured at: enough to reduce the sd of
 * the placement effect, placement_ns / launch_ns, to a quarter of the tolerance (ratio; 0: not
 * given, one placement), if buffers of `bytes` each fit in memory. At a tolerance of 0.1 % or more
 * at most eight: equal code at other addresses then keeps up to 0.03 %. */
unsigned sg_placements_wanted(double placement_ns, double launch_ns, double tolerance,
                              uint64_t bytes);

/* Opens placement `number`, from 1 on, with inputs and guards, for a target whose first placement
 * has the buffers `first`. False: not possible, because a module cannot be loaded again or device
 * memory is short; nothing remains allocated. */
bool sg_placement_open(struct sg_placement *placement, struct sg_pass *pass,
                       const struct sg_target *target, struct sg_buffers *first, unsigned number,
                       struct sg_err *err);
void sg_placement_close(struct sg_placement *placement); /* not for placement 0 */

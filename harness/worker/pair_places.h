/*
 * worker/pair_places.h - a pair of variants at several places of memory: its modules loaded once
 * more, and buffers of its own.
 *
 * Where code and buffers lie moves the time of a short kernel, and that of two kernels by
 * different amounts, so their ratio too (docs/method.md 2). A driver gives the same addresses to
 * the same sequence of loads: processes alone do not average over places, a process does.
 * Invariant: all places of a pair share the pools that inputs are made from.
 */
#pragma once

#include "worker/case_buffers.h"

#define SG_PLACES_MAX 8

struct sg_pass;

/* Modules of the pass once more, for all of its pairs; all zero: none yet. */
struct sg_module_copies {
    struct sg_module_copy *items; /* owned; the modules live as long as the process */
    size_t count, capacity;
};

struct sg_place {
    struct sg_target target;    /* the code at this place */
    struct sg_buffers *buffers; /* borrowed at place 0, else owned */
    struct sg_runnable side[2]; /* 0: the baseline, 1: the candidate */
};

/*
 * At how many places a pair is measured, 1 to SG_PLACES_MAX: as many as bring what a place moves a
 * launch (place_ns of launch_ns nanoseconds, sd) to a quarter of the tolerance (a ratio; 0: not
 * given, 1 place), and whose buffers, of so many bytes each, have room.
 */
unsigned sg_places_wanted(double place_ns, double launch_ns, double tolerance, uint64_t bytes);

/* Place `number`, from 1 on, of a target whose first place has these buffers, with inputs and
 * guards in place. False: there is no further place, because a module cannot be loaded once more
 * or the device has no room; nothing is left behind. */
bool sg_place_open(struct sg_place *place, struct sg_pass *pass, const struct sg_target *target, struct sg_buffers *first, unsigned number,
                   struct sg_err *err);
void sg_place_close(struct sg_place *place); /* not of place 0 */

void sg_module_copies_release(struct sg_module_copies *copies);

/*
 * device/guest.h - a program that contains solgate-worker and supplies the launches: functions of
 * Python.
 *
 * Such a function may return its outputs in separate memory. They are copied to the buffers of the
 * case after the launch's end stamp, and then checked like any output. Its libraries launch on
 * CUDA's default stream, so all work is enqueued there.
 */
#pragma once

#include "solgate_kernel.h"

struct sg_guest {
    const struct sg_module *module;    /* of a gate script (plan/gate_script.h) */
    const struct sg_module *of_commit; /* of a gate script that stands for a commit */
    struct sg_tolerance (*tolerance)(const struct sg_case *c, size_t buffer);
    /* outputs of the last launch in device memory; NULL: written to the buffer */
    const void *returned[SG_MAX_BUFFERS];
    unsigned loads; /* number of code loads into the device */
    bool waits;     /* simulated: the last launch was host_bound */
    bool guesses;   /* the work of the last case is the size of whole arrays, an upper bound */
    /* returns true if a plain run of the program finds the candidate wrong, with the reason */
    bool (*is_wrong)(const struct sg_case *c, struct sg_reason *why);
};

extern struct sg_guest *sg_guest; /* NULL in solgate-worker */

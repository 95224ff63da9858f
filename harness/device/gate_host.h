/*
 * device/gate_host.h - a Python program that works as solgate-worker: its functions are the
 * variants (worker/library/gate.h).
 *
 * A function may return its outputs in separate memory. They are copied to the buffers of the case
 * after the launch's end stamp, and then checked like any output. The libraries of Python launch on
 * CUDA's default stream, so all work is enqueued there.
 */
#pragma once

#include "solgate_kernel.h"

struct sg_gate_host {
    const struct sg_module *module;    /* the functions of the working tree */
    const struct sg_module *of_commit; /* the functions at a commit (sg_gate_script_at) */
    struct sg_tolerance (*tolerance)(const struct sg_case *c, size_t buffer);
    /* outputs of the last launch in device memory; NULL: written to the buffer */
    const void *returned[SG_MAX_BUFFERS];
    unsigned loads;             /* number of code loads into the device */
    bool loads_candidate_first; /* this process times, and loads the candidate's code first */
    const char *launched;       /* simulated: see struct sg_batch; NULL: not known */
    bool waits;                 /* simulated: the last launch was host_bound */
    const char *guesses; /* why the work of the last case is an upper bound; NULL: no upper bound */
    /* returns true if a plain run of the program finds the candidate wrong, with the reason */
    bool (*is_wrong)(const struct sg_case *c, struct sg_reason *why);
};

extern struct sg_gate_host *sg_gate_host; /* NULL in solgate-worker */

/*
 * device/guest.h - launches of a program that solgate-worker is a part of, and not the other way
 * round: functions of Python.
 *
 * Such a function may leave its outputs in memory of its own. They are copied to the buffers of the
 * case behind the stamp that ends the launch, so that they are checked as any others. Its libraries
 * launch on the stream that CUDA takes where none is named, so everything is enqueued there.
 */
#pragma once

#include "solgate_kernel.h"

struct sg_guest {
    const struct sg_module *module;       /* what each gate file (plan/gate_file.h) holds */
    const struct sg_module *of_commit;    /* and each one with a commit */
    const void *returned[SG_MAX_BUFFERS]; /* of the last launch, in the device's memory; NULL: it wrote to the buffer */
    unsigned loads;                       /* of code into the device, so far */
    bool waits;                           /* simulated: the last launch was host_bound */
    bool (*is_wrong)(const struct sg_case *c, struct sg_reason *why); /* the candidate, in a plain run */
};

extern struct sg_guest *sg_guest; /* NULL: this is solgate-worker */

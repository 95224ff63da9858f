/*
 * exec/exec.h - the kernels of any program as a run: it is started as it is, with the injected
 * library.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/names.h"

struct sg_exec_options {
    char *const *argv;          /* of the program; ends with NULL */
    const char *range, *kernel; /* pattern, regular expression; NULL: all */
    const char *out;
    unsigned processes;      /* starts that are timed */
    bool counts;             /* one more start counts */
    struct sg_names metrics; /* owned; groups and metrics; none: a list that takes one pass */
    bool of_ranges;          /* ranges as a whole, and not kernels */
    bool has_place;          /* in place of some of each kernel: of all that match */
    uint64_t skip, most;     /* ... those behind the first `skip`, and no more than `most` */
};

/*
 * *status is the program's, or that of its first start that was not 0. SG_INVALID, behind a written
 * run: something is missing in it. SG_NO_GPU before the program is started.
 */
enum sg_code sg_exec(const struct sg_exec_options *options, int *status, struct sg_err *err);

/*
 * exec/exec.h - the kernels of any program as a run: it is started as it is, with the injected
 * library.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "results/table.h"
#include "util/names.h"

struct sg_exec_options {
    char *const *argv;          /* of the program; ends with NULL */
    const char *range, *kernel; /* pattern, regular expression; NULL: all */
    const char *label;          /* of cases (exec/traced_items.h); NULL: none */
    const char *out;
    unsigned processes;      /* starts that are timed */
    bool counts;             /* one more start counts */
    struct sg_names metrics; /* owned; groups and metrics; none: a list that takes one pass */
    bool of_ranges;          /* ranges as a whole, and not kernels */
    bool has_place;          /* in place of some of each kernel: of all that match */
    uint64_t skip, most;     /* ... those behind the first `skip`, and no more than `most` */
    const char *output;      /* a file for what it prints while it is timed; NULL: that is solgate's */
    double deadline_s;       /* of each start, behind which it is killed; 0: none */
    /* Asked about forty times a second; true: it is killed. The caller holds the signals that are
     * to stop solgate. NULL: it is as its user starts it. */
    bool (*is_over)(void *given);
    void *given;
};

struct sg_exec_found {
    struct sg_table rows;       /* owned; unsorted */
    struct sg_text gpu;         /* owned; its name */
    struct sg_text complaint;   /* owned; "", or why what is there is not all */
    struct sg_text not_counted; /* owned; "", or why counters are missing */
    bool has_launched;          /* kernels, though --range and --kernel may name none of them */
    double sm_clock;            /* Hz, while the kernels of the last start that was timed ran; 0: not known */
    unsigned stopped_after;     /* starts, by a signal, though more were to come; 0: it was not */
    int status;                 /* of the program, or of its first start that was timed and not 0 */
    bool is_late;               /* that start was killed at its deadline */
};
void sg_exec_found_release(struct sg_exec_found *found);
/* Writes nothing, but for a moment into a folder of its own in options->out. SG_NO_GPU before the
 * program is started. */
enum sg_code sg_exec_measure(const struct sg_exec_options *options, struct sg_exec_found *found, struct sg_err *err);

/* The same, as a run. *status is the program's. SG_INVALID, behind a written run: something is
 * missing in it. */
enum sg_code sg_exec(const struct sg_exec_options *options, int *status, struct sg_err *err);

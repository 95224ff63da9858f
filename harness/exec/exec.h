/*
 * exec/exec.h - measures the kernels of any unmodified program as a run, with the injected
 * library.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "results/table.h"
#include "util/names.h"

struct sg_exec_options {
    char *const *argv;          /* the program's command; ends with NULL */
    const char *range, *kernel; /* glob pattern; regular expression; NULL: all */
    const char *label;          /* prefix of case names (exec/traced_items.h); NULL: none */
    const char *file;           /* only for sg_exec_results: what the program writes */
    const char *out;
    const char *gpu;         /* its name; NULL: the driver is asked, and the clock is read */
    unsigned processes;      /* number of timed starts */
    bool counts;             /* add one start that collects counters */
    struct sg_names metrics; /* owned; groups and metrics; empty: the group `quick` */
    bool of_ranges;          /* count each range as a whole instead of its kernels */
    bool has_window;         /* count all matching launches instead of a sample of each kernel */
    uint64_t skip, most;     /* if has_window: skip `skip` launches, count at most `most` */
    const char *output;      /* file for the program's output while timed; NULL: inherit stdout */
    /* folder that gets the traces of one good start, instead of rows; NULL: rows are made */
    const char *kept;
    /* Called before each start and at its end; only for a worker, where the program has no input,
     * and a stop signal kills it. NULL: the program runs as started from a shell. */
    void (*on_progress)(void *given, const char *gpu_name);
    void *given;
};

struct sg_exec_found {
    struct sg_table rows;       /* owned; unsorted */
    struct sg_text gpu;         /* owned; the GPU's name */
    struct sg_text complaint;   /* owned; "", or why the times are incomplete */
    struct sg_text not_counted; /* owned; "", or why counters are missing */
    bool has_launched;          /* true even if --range and --kernel match no kernel */
    double sm_clock;            /* Hz, mean during the last timed start; 0: unknown */
    unsigned stopped_after;     /* starts made before a signal ended the run; 0: no signal */
    int status;                 /* exit status of the first timed start that failed, or 0 */
};
/* Measures without writing a run; uses a temporary folder in options->out. Returns SG_NO_GPU before
 * the program is started. */
enum sg_code sg_exec_measure(const struct sg_exec_options *options, struct sg_exec_found *found,
                             struct sg_err *err);

/* Measures and writes a run. *status is the program's exit status. SG_INVALID after the run was
 * written: the run is incomplete. */
enum sg_code sg_exec(const struct sg_exec_options *options, int *status, struct sg_err *err);

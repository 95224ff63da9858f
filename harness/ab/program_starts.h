/*
 * ab/program_starts.h - the starts of a gate's programs: each is a worker of the trace pass
 * (worker/pass_trace.c), which has a deadline and leaves the traces in RUN/starts.
 *
 * A start that the run has is read and not made again, so a run that was killed continues with
 * --resume. Invariant: each folder of RUN/starts has one complete, successful start.
 */
#pragma once

#include <signal.h>

#include "exec/start.h"
#include "results/env.h"

struct sg_program_starts {
    const char *folder;  /* borrowed; folder of the run */
    double deadline_s;   /* for one start */
    struct sg_env facts; /* owned; env.csv; when opened, the facts that a resumed run must match */
    int lock;            /* descriptor; locks the folder */
    unsigned count;      /* starts read so far */
    /* a start has found the GPU: asking the driver takes longer than a kernel */
    bool has_gpu;
    sigset_t before; /* the caller's signal mask; signals are blocked between the starts */
};

/* Creates the run's folder, or resumes the run in it. SG_NOT_COMPARABLE: another run is in it. */
enum sg_code sg_program_starts_open(struct sg_program_starts *starts, bool is_resumed,
                                    struct sg_err *err);
/* Appends the command to resume to an error, or removes the files of a run without a start. */
void sg_program_starts_close(struct sg_program_starts *starts, struct sg_err *err);

struct sg_program_side {
    const char *word;  /* "baseline" or "candidate"; also names the file of its output */
    const char *name;  /* the program in messages */
    char *const *argv; /* ends with NULL */
};
/* Makes start `number` of a side unless the run has it, and calls `take` for each of its traces.
 * SG_UNDECLARED: the program failed, or did not end in time. */
enum sg_code sg_program_starts_take(struct sg_program_starts *starts,
                                    const struct sg_program_side *side, unsigned number,
                                    sg_take_trace *take, void *given, struct sg_err *err);

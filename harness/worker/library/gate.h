/*
 * worker/library/gate.h - the interface between a program whose functions are gated and
 * libsolgate_gate.so, which makes a family of them. python/solgate/worker.py has the same
 * structures.
 *
 * The variants are `baseline` and `candidate`; a gate without a baseline has only `baseline`. The
 * thread that called sg_gate_work calls all functions. A function that fails ends the process,
 * except `launch` and `prepare`.
 */
#pragma once

#include "solgate_kernel.h"

#define SG_GATE_VERSION 8u
#define SG_GATE_UNFIT   (-1)

/* The last two: at the commit `then`. */
enum sg_gate_side {
    SG_GATE_BASELINE,
    SG_GATE_CANDIDATE,
    SG_GATE_BASELINE_THEN,
    SG_GATE_CANDIDATE_THEN,
    SG_GATE_SIDES
};

struct sg_gate_case {
    const char *name, *words; /* words: a description for people */
    int64_t dim[SG_MAX_DIMS]; /* in the order of sg_program_gate.dims */
};

struct sg_program_gate {
    uint32_t version;
    uint32_t simulated; /* no GPU: host arrays, and times of simulated_ns */
    double simulated_ns[SG_GATE_SIDES];
    uint64_t sides;          /* 1 or 2 */
    const char *name, *dims; /* dims: as in sg_family */
    const char *commit;      /* commit of the program's folder, as in sg_module */
    const char *then;        /* the commit of sg_gate_script_at; "": none */
    const struct sg_gate_case *cases;
    uint64_t case_count;
    /* Buffers of a case, as in sg_family. `tolerance`: rel_max of each buffer, 0: must be equal;
     * element SG_MAX_BUFFERS has the largest. */
    uint64_t (*layout)(uint64_t number, struct sg_buffer *out, double *tolerance);
    void (*fill)(uint64_t number, uint64_t seed, void *const *host);
    void (*reference)(uint64_t number, const void *const *inputs, double *const *expected);
    /* returned[i]: address of output i, if not buffer[i]. Returns 0, or an error with its text in
     * `failure`. */
    int (*launch)(uint64_t number, uint32_t side, void *const *buffer, const void **returned);
    /* Called before any launch until two calls in a row load no code, so that compiling, tuning and
     * capturing happen now. Returns like `launch`, or SG_GATE_UNFIT: the side must not be measured.
     * With `buffer` NULL: checks that the side is right in a plain run of the program. */
    int (*prepare)(uint64_t number, uint32_t side, void *const *buffer);
    /* Simulated GPU: what the last launch launched (struct sg_batch); NULL: not known. */
    const char *simulated_launched;
    /* Simulated GPU: how often code was loaded so far; whether the last launch waited for a load.
     */
    uint32_t simulated_loads, simulated_waits;
    /* Set by `layout`: functions may write only part of an output. Then no time is considered too
     * short for the whole output. */
    uint32_t partly;
    uint32_t is_declared; /* set by `layout`: the gate declares the work of the case, as follows */
    double work_bytes, work_flop[SG_DTYPE_COUNT];
    uint32_t
        first_side; /* the one that `layout` calls, to see what it returns; enum sg_gate_side */
    char failure[sizeof(((struct sg_reason *)0)->text)];
};

/* Takes the command line of solgate-worker and returns its exit code. -1: another
 * SG_GATE_VERSION. */
int sg_gate_work(struct sg_program_gate *given, int argc, char **argv);
/* Call within a function above if the gate itself is wrong, not a variant. solgate ends with this
 * message; the caller ends the process. */
void sg_gate_refuse(const char *why);

/*
 * worker/library/gate.h - what a program whose functions are to be gated tells libsolgate_gate.so,
 * which makes a family of it: python/solgate/worker.py has the same structures.
 *
 * The variants are `baseline` and `candidate`; without a baseline there is one, `baseline`. All
 * functions are called by the thread that called sg_gate_work, and end the process where they fail,
 * but for `launch` and `prepare`.
 */
#pragma once

#include "solgate_kernel.h"

#define SG_GATE_VERSION 4u
#define SG_GATE_UNFIT   (-1)

/* The last two: as of the commit of the gate file of --against. */
enum sg_gate_side { SG_GATE_BASELINE, SG_GATE_CANDIDATE, SG_GATE_BASELINE_THEN, SG_GATE_CANDIDATE_THEN, SG_GATE_SIDES };

struct sg_gate_case {
    const char *name, *words; /* words: for people */
    int64_t dim[SG_MAX_DIMS]; /* by sg_gate.dims */
};

struct sg_gate {
    uint32_t version;
    uint32_t simulated; /* no GPU: arrays of the host, and these times, ns */
    double simulated_ns[SG_GATE_SIDES];
    uint64_t sides;          /* 1 or 2 */
    const char *name, *dims; /* dims: as of sg_family */
    const struct sg_gate_case *cases;
    uint64_t case_count;
    /* Buffers of a case, as of sg_family; `tolerance`: rel_max of each one, 0: it must be equal.
     * Element SG_MAX_BUFFERS has the widest. */
    uint64_t (*layout)(uint64_t number, struct sg_buffer *out, double *tolerance);
    void (*fill)(uint64_t number, uint64_t seed, void *const *host);
    void (*reference)(uint64_t number, const void *const *inputs, double *const *expected);
    /* returned[i]: where output i is, if it is not in buffer[i]. Not 0: it failed, as `failure`
     * says. */
    int (*launch)(uint64_t number, uint32_t side, void *const *buffer, const void **returned);
    /* Before any, until two calls in a row load no code: what compiles, tunes or captures does that
     * now. The same; SG_GATE_UNFIT: the side must not be measured. Without `buffer`: is the side
     * right in a plain run of the program? */
    int (*prepare)(uint64_t number, uint32_t side, void *const *buffer);
    /* Simulated: code that was loaded into the device so far; did the last launch wait for it? */
    uint32_t simulated_loads, simulated_waits;
    /* Set by `layout`: functions may write a part of an output and leave the rest. No time is then
     * too short for the whole output. */
    uint32_t partly;
    char failure[sizeof(((struct sg_reason *)0)->text)];
};

/* The command line of solgate-worker; returns its exit code. -1: another SG_GATE_VERSION. */
int sg_gate_work(struct sg_gate *given, int argc, char **argv);
/* From within a function above: who wrote the gate is wrong, and no variant. solgate ends in these
 * words; the caller ends the process. */
void sg_gate_refuse(const char *why);

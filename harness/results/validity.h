/*
 * results/validity.h - may what the processes of a run measured be believed, by what the GPU was
 * like meanwhile (docs/guards.md)?
 *
 * Pure: rows of processes.csv in, reasons out. There is no record of what this very GPU should do,
 * so drift is judged within the run:
 * the references' times, taken to one clock, against their median over all processes
 * that count. Invariant: nothing here looks at what was measured of the pairs, so
 * dropping a process favours neither side.
 */
#pragma once

#include "results/process_log.h"

#define SG_DROPS_MAX     3        /* processes that another one may take the place of, in a run */
#define SG_DRIFT_VARIANT "pinned" /* of each case below */

/*
 * The drift references. constant, word, case, figures of its time and clock, exponent of the clock
 * (ln time on ln clock, as accepted in baselines/h200/smoke.csv), how far a process may be off
 * (ln): of 54 quiet readings of an H200 the chain was at most 0.2 % off, but the copy has a
 * second, faster pace, up to 2.1 % off
 */
#define SG_DRIFT_TABLE(X)                                                                                \
    X(SG_DRIFT_CHAIN, "chain", "fma_chain_50us", SG_FIGURE_CHAIN_NS, SG_FIGURE_CHAIN_CLOCK, 0.97, 0.005) \
    X(SG_DRIFT_COPY, "copy", "stream_copy_256mib", SG_FIGURE_COPY_NS, SG_FIGURE_COPY_CLOCK, 0.04, 0.03)

enum sg_drift_kind { SG_DRIFT_TABLE(SG_CONSTANT) SG_DRIFT_COUNT };
struct sg_drift_reference {
    const char *word, *case_;
    enum sg_figure ns, clock;
    double exponent, limit;
};
extern const struct sg_drift_reference sg_drift_references[SG_DRIFT_COUNT];

/* A process whose values must go. */
struct sg_unfit {
    unsigned process;
    char why[96]; /* "hw_thermal", "beside 1 other process", "chain +0.52 %" */
};
/* Of the rows that count; returns how many processes, each once. `unfit` has
 * room for as many as there are rows. */
size_t sg_validity_unfit(const struct sg_process_log *all, bool shared_gpu_allowed, struct sg_unfit *unfit);
/* How many processes were dropped so far. */
size_t sg_validity_dropped(const struct sg_process_log *all);

/* Appends one line for people: "sw_power_cap in 3 of 5 processes"; nothing if there was no process.
 * drift_expected: all should know it. */
void sg_validity_events(const struct sg_process_log *all, bool drift_expected, struct sg_text *out);
/* Appends who shared the GPU with a process that counts, or could have, and what to do about it;
 * nothing: none, as far as is known. */
void sg_validity_shared_gpu(const struct sg_process_log *all, struct sg_text *out);

struct sg_validity {
    bool valid;    /* may the times be believed? */
    char why[320]; /* if not: what was the matter, and what to do */
};
struct sg_validity sg_validity_judge(const struct sg_process_log *all, bool shared_gpu_allowed);

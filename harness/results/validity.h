/*
 * results/validity.h - whether the measurements of a run's processes are valid, judged by the state
 * of the GPU meanwhile (docs/guards.md).
 *
 * Pure: rows of processes.csv in, reasons out. The usual speed of this very GPU is unknown, so
 * drift is judged within the run: the references' times, normalised to one clock, against their
 * median over all valid processes. Invariant: the measured pairs are never looked at, so dropping a
 * process favours neither side.
 */
#pragma once

#include "results/process_log.h"

#define SG_DROPS_MAX     3        /* maximum number of processes that are repeated in a run */
#define SG_DRIFT_VARIANT "pinned" /* variant of each case below */

/* The drift references: constant, word, case, figures of time and clock, exponent of the clock (ln
 * time on ln clock, as accepted in baselines/smoke.csv), limit of the drift (ln). In 54 quiet
 * readings of an H200 the chain was at most 0.2 % off; the copy has a second, faster pace, up to
 * 2.1 % off. */
#define SG_DRIFT_TABLE(X)                                                                         \
    X(SG_DRIFT_CHAIN, "chain", "fma_chain_50us", SG_FIGURE_CHAIN_NS, SG_FIGURE_CHAIN_CLOCK, 0.97, \
      0.005)                                                                                      \
    X(SG_DRIFT_COPY, "copy", "stream_copy_256mib", SG_FIGURE_COPY_NS, SG_FIGURE_COPY_CLOCK, 0.04, \
      0.03)

enum sg_drift_kind { SG_DRIFT_TABLE(SG_CONSTANT) SG_DRIFT_COUNT };
struct sg_drift_reference {
    const char *word, *case_;
    enum sg_figure ns, clock;
    double exponent, limit;
};
extern const struct sg_drift_reference sg_drift_references[SG_DRIFT_COUNT];

/* A process whose values must be dropped. */
struct sg_unfit {
    unsigned process;
    char why[96]; /* "hw_thermal", "beside 1 other process", "chain +0.52 %" */
};
/* Checks the rows that count; returns the number of unfit processes, each once. `unfit` needs room
 * for one element per row. */
size_t sg_validity_unfit(const struct sg_process_log *all, bool shared_gpu_allowed,
                         struct sg_unfit *unfit);
/* Number of processes dropped so far. */
size_t sg_validity_dropped(const struct sg_process_log *all);

/* Appends one line for people: "sw_power_cap in 3 of 5 processes"; nothing without processes.
 * drift_expected: also say in how many processes the drift is unknown. */
void sg_validity_events(const struct sg_process_log *all, bool drift_expected, struct sg_text *out);
/* Appends who shared the GPU with a counting process, or could have, and what to do about it.
 * Nothing: no sharing is known. */
void sg_validity_shared_gpu(const struct sg_process_log *all, struct sg_text *out);

struct sg_validity {
    bool valid;    /* true if the times are valid */
    char why[320]; /* if not: the reason, and what to do */
};
struct sg_validity sg_validity_judge(const struct sg_process_log *all, bool shared_gpu_allowed);

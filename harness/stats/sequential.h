/*
 * stats/sequential.h - the sequential decision over many pairs at once (docs/method.md 3):
 * looks after 5, 10, 12 and 20 processes, pairs that are decided drop out, pairs whose variant
 * died cost nothing but themselves.
 *
 * Pure: what measures is handed in, real workers or a simulation. Value k of a pair comes from
 * process k, so what was measured before an interruption is handed in again and the same decision
 * comes out. Invariant: a look sees the first 5, 10, 12 or 20 values and no others; a verdict is
 * green only where `decided`, and `within` only from SG_WITHIN_PROCESSES on.
 *
 *     struct sg_sequential engine = {.pairs = pairs, .count = count, .lambda = 1};
 *     sg_sequential_run(&engine, &(struct sg_measurer){.context = workers,
 *     .measure = one_process}, err);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/abba.h"
#include "stats/decision.h"
#include "stats/verdict.h"
#include "util/text.h"

#define SG_SEQUENTIAL_PROCESSES_MAX 20

struct sg_sequential_pair {
    double tolerance;                              /* ratio, > 0 */
    double y[SG_SEQUENTIAL_PROCESSES_MAX];         /* ln candidate/baseline of each process */
    double blocks_se[SG_SEQUENTIAL_PROCESSES_MAX]; /* error of each y that its blocks explain, ln; 0: not known */
    unsigned n;                                    /* processes so far */
    unsigned rows;                                 /* how many pairs are judged together, this one among them; 0 is 1 */
    bool even;                   /* the same code on both sides (A/A): it has no state of its own, so it is decided where it is
                                  * near 0 */
    bool dead;                   /* its variant died: out; set by what measures */
    bool decided;                /* set it beforehand, with a verdict, to leave a pair out (identical code) */
    enum sg_verdict verdict;     /* invalid until the first look, inconclusive from there until decided */
    struct sg_estimate estimate; /* of the last look; se, low and high hold lambda, sd does not; dead: of what there is */
    double resolution;           /* MDE90 as one of `rows`, ratio; NaN before the first look */
};

struct sg_sequential {
    struct sg_sequential_pair *pairs; /* borrowed */
    size_t count;
    double lambda; /* >= 1: multiplies every standard error; docs/method.md 4 */
};

struct sg_measurer {
    void *context;
    /*
     * Runs one fresh process that measures these pairs; stores the value of each by
     * sg_sequential_take, or marks it dead. `process` counts from 0 and is the index of those
     * values. A failure ends the decision; what was stored stays.
     */
    enum sg_code (*measure)(void *context, unsigned process, const size_t *pairs, size_t count, struct sg_sequential *engine,
                            struct sg_err *err);
};

/*
 * What the blocks' own noise may be of a process's value, ratio, for the pilot of a gate. With two
 * fifths of the tolerance a change of half of it is still within in 99 %. An even pair is only not
 * to be off: its noise may be all of the tolerance, and SG_STATE_SD, which a smaller sd counts as
 * below ten processes.
 */
double sg_gate_noise(double tolerance, bool even);
/* The next value of a pair; at most SG_SEQUENTIAL_PROCESSES_MAX of them are kept. */
void sg_sequential_take(struct sg_sequential *engine, size_t pair, struct sg_process_value value);
/* The look that a process, counted from 0, is measured for: 5, 10, 12 or 20. */
unsigned sg_sequential_look(unsigned process);

/*
 * Measures until every pair is decided or dead. Called again it goes on, and replays the
 * looks with the values that are there: so also with another lambda, once `decided` is
 * cleared. SG_INVALID: a lambda or a tolerance that is none, or a measurement that neither
 * gave a value nor reported a death.
 */
enum sg_code sg_sequential_run(struct sg_sequential *engine, const struct sg_measurer *measurer, struct sg_err *err);

/*
 * Two-sided p of a judged pair, over all looks: how likely it would come out like this if it
 * were no slower than its tolerance; of an even one, neither slower nor faster. At four looks of
 * one level the chance to pass one of them is at most four times the level; at the boundary of
 * the rule it is SG_SEQUENTIAL_ERROR.
 */
double sg_sequential_p(const struct sg_sequential_pair *pair);

/* The finest tolerance, of two digits, by which an inconclusive pair would be
 * within as it was measured; ratio. */
double sg_sequential_settling_tolerance(const struct sg_sequential_pair *pair);
/* Why a pair stays inconclusive, one line without its end: which noise is in the
 * way, and what can be said of it. */
void sg_sequential_describe_settling(const struct sg_sequential_pair *pair, struct sg_text *out);

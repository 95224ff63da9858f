/*
 * stats/sequential.h - the sequential decision over many pairs at once (docs/method.md 3). Looks
 * come after 5, 10, 12 and 20 processes. Decided pairs drop out; a pair whose variant died affects
 * no other pair.
 *
 * Pure: the caller passes the measurer, real workers or a simulation. Value k of a pair comes from
 * process k, so replaying the values of an interrupted run gives the same decision. Invariant: a
 * look sees exactly the first 5, 10, 12 or 20 values. A verdict is green only if `decided`, and
 * `within` only from SG_WITHIN_PROCESSES on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/abba.h"
#include "stats/decision.h"
#include "stats/verdict.h"
#include "util/text.h"

#define SG_SEQUENTIAL_PROCESSES_MAX 20

struct sg_sequential_pair {
    double tolerance;                      /* ratio, > 0 */
    double y[SG_SEQUENTIAL_PROCESSES_MAX]; /* ln candidate/baseline of each process */
    /* error of each y from its blocks, ln; 0: not known */
    double blocks_se[SG_SEQUENTIAL_PROCESSES_MAX];
    unsigned n;    /* processes so far */
    unsigned rows; /* number of pairs judged together, including this pair; 0 counts as 1 */
    /* A/A pair: the same code on both sides. It has no slow state, so it is decided once near 0 */
    bool even;
    bool dead;               /* the variant died, the pair is out; set by the measurer */
    bool decided;            /* set it in advance, with a verdict, to skip identical code */
    enum sg_verdict verdict; /* invalid until the first look, then inconclusive until decided */
    /* at the last look; se, low and high include lambda, sd does not; for a dead pair, of the
     * values it had */
    struct sg_estimate estimate;
    double resolution; /* MDE90 as one of `rows`, ratio; NaN before the first look */
};

struct sg_sequential {
    struct sg_sequential_pair *pairs; /* borrowed */
    size_t count;
    double lambda;   /* >= 1, multiplies every standard error; docs/method.md 4 */
    uint64_t orders; /* of the sides, see stats/abba.h; 0: in turn */
};

struct sg_measurer {
    void *context;
    /* Runs one fresh process that measures these pairs. Stores the value of each pair with
     * sg_sequential_take, or marks the pair dead. `process` counts from 0 and is the index of
     * the values. An error ends the decision; stored values stay. */
    enum sg_code (*measure)(void *context, unsigned process, const size_t *pairs, size_t count,
                            struct sg_sequential *engine, struct sg_err *err);
};

/* A pilot of a gate adds blocks until a process has this noise (a ratio) or less: two fifths
 * of the tolerance. A change of half the tolerance is then `within` in 99 % of gates. For an A/A
 * pair (`even`) it is the tolerance, because its change only has to be near 0. It is never below
 * SG_STATE_SD, the smallest sd that counts with fewer than ten processes. */
double sg_gate_noise(double tolerance, bool even);
/* Appends a value to a pair. Values beyond SG_SEQUENTIAL_PROCESSES_MAX are dropped. */
void sg_sequential_take(struct sg_sequential *engine, size_t pair, struct sg_process_value value);
/* Draws the orders of the sides: at each look both are equally frequent, or differ by one. Sides
 * in turn would be aliased with a disturbance of a few starts (docs/method.md 3). */
uint64_t sg_sequential_orders(uint64_t seed);
/* Returns the look that a process, counted from 0, is measured for: 5, 10, 12 or 20. */
unsigned sg_sequential_look(unsigned process);

/* Measures until every pair is decided or dead. A second call replays the looks on the existing
 * values and then continues. So a caller may change lambda and clear `decided`. Returns
 * SG_INVALID for an invalid lambda or tolerance, or if the measurer neither stored a value nor
 * marked a pair dead. */
enum sg_code sg_sequential_run(struct sg_sequential *engine, const struct sg_measurer *measurer,
                               struct sg_err *err);

/* Two-sided p of a judged pair over all looks: the chance of this estimate if the pair is at
 * most its tolerance slower. For an A/A pair: neither slower nor faster. Over four looks of one
 * level, the chance to pass any is at most four times the level. At the boundary of the rule p
 * is SG_SEQUENTIAL_ERROR. */
double sg_sequential_p(const struct sg_sequential_pair *pair);

/* Returns the smallest tolerance, rounded up to two digits, at which an inconclusive pair would
 * be `within`; ratio. */
double sg_sequential_settling_tolerance(const struct sg_sequential_pair *pair);
/* Adds why a pair stays inconclusive: the source of the noise, and the tolerance that would
 * settle it. One line without a newline. */
void sg_sequential_describe_settling(const struct sg_sequential_pair *pair, struct sg_text *out);

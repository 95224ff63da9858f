/*
 * device/null/noise_model.h - a launch source that needs no GPU: times with the faults of real ones
 * (docs/method.md 7, tests/method/simulation.md).
 *
 * What is simulated: log-normal launches, an AR(1) drift and sudden steps of the clock, a warm-up
 * ramp, an effect of the position in a block, an effect of the process on each side of a pair,
 * spikes, a coarse tick. Pure: the same options and seed give the same numbers on every machine
 * with IEEE doubles. Used by device/null/device_null.c and by the tests of the decision.
 *
 *     struct sg_simulator simulator;
 *     sg_simulator_init(&simulator, &sg_simulate_defaults, seed);            one process, one pair
 *     sg_simulate_batch(&simulator, &batch, ns);                            one batch
 */
#pragma once

#include "solgate_kernel.h"

/* Standard deviations are of natural logarithms: 0.01 is 1 %. Everything may be
 * 0 to switch it off, but clock_hz. */
struct sg_simulate_options {
    double launch_sd;         /* of one launch, where the variant names no `noise` of its own */
    double clock_hz;          /* the clock at which `time_ns` is the true time; > 0 */
    double clock_sd;          /* of the slow drift, stationary */
    double clock_memory;      /* correlation of the drift between two batches, 0 <= x < 1 */
    double clock_step;        /* size of a sudden step, up and down again */
    double clock_step_chance; /* of a step, per batch, 0..1 */
    double ramp;              /* a cold GPU's first batch takes this much longer */
    double ramp_batches;      /* batches in which the ramp falls to 1/e; > 0 */
    double first_position;    /* the first batch of a block takes this much longer */
    double process_sd;        /* of a side's constant offset in one process */
    double spike_chance;      /* per launch, 0..1 */
    double spike_factor;      /* time of a launch that spikes, over what it would be; >= 1 */
    double tick_ns;           /* times are multiples of this; 0: exact */
};

/* Fitted to measurements of one H200: tests/method/simulation.md has the numbers. */
extern const struct sg_simulate_options sg_simulate_defaults;

/* State of one process measuring one pair; opaque to users, copied by assignment. */
struct sg_simulator {
    struct sg_simulate_options options;
    uint64_t random;
    double drift;     /* ln of the clock over clock_hz, without the step */
    bool stepped;     /* the clock is one step down */
    double offset[2]; /* ln, of each side */
    uint64_t batches; /* so far */
};

void sg_simulator_init(struct sg_simulator *simulator, const struct sg_simulate_options *options, uint64_t seed);

struct sg_simulated_batch {
    struct sg_simulation what; /* the variant's true time and nature */
    unsigned side;             /* 0: baseline, 1: candidate */
    unsigned position;         /* in its block, 0..3 */
    unsigned launches;         /* timed ones */
};

/* Writes the time of each timed launch to ns[]; returns the clock over the batch, Hz. */
double sg_simulate_batch(struct sg_simulator *simulator, const struct sg_simulated_batch *batch, double *ns);

/* A seed of its own for whatever `name` names, from the seed of the
 * run: FNV-1a over the name, stirred. */
uint64_t sg_simulate_seed(uint64_t seed, const char *name);

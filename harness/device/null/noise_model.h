/*
 * device/null/noise_model.h - simulates times with the imperfections of real ones, without a GPU
 * (docs/method.md 7, studies/promises/simulation.md).
 *
 * Simulates log-normal launches, an AR(1) drift and sudden steps of the clock, a warm-up ramp,
 * spikes, and a coarse tick. Also simulates an effect of the position in a block, and an offset of
 * each side per process. Pure: the same options and seed give the same numbers on every machine
 * with IEEE doubles. Used by device/null/device_null.c and by the tests of the decision.
 *
 *     struct sg_simulator simulator;
 *     sg_simulator_init(&simulator, &sg_simulate_defaults, seed);            one process, one pair
 *     sg_simulate_batch(&simulator, &batch, ns);                            one batch
 */
#pragma once

#include "solgate_kernel.h"

/* Standard deviations are of natural logarithms: 0.01 is 1 %. Any value except clock_hz may be 0
 * to switch its effect off. */
struct sg_simulate_options {
    double launch_sd;         /* sd of one launch, unless the variant states `noise` */
    double clock_hz;          /* the clock at which `time_ns` is the true time; > 0 */
    double clock_sd;          /* stationary sd of the slow drift */
    double clock_memory;      /* correlation of the drift between two batches, 0 <= x < 1 */
    double clock_step;        /* size of a sudden step down, and up again */
    double clock_step_chance; /* per batch, 0..1 */
    double ramp;              /* extra time of the first batch on a cold GPU, as a share */
    double ramp_batches;      /* batches until the ramp falls to 1/e; > 0 */
    double first_position;    /* extra time of the first batch in a block, as a share */
    double process_sd;        /* sd of the offset between the sides in one process */
    double spike_chance;      /* per launch, 0..1 */
    double spike_factor;      /* factor on the time of a spike; >= 1 */
    double tick_ns;           /* times are multiples of this; 0: exact */
};

/* Fitted to measurements of one H200; studies/promises/simulation.md has the numbers. */
extern const struct sg_simulate_options sg_simulate_defaults;

/* State of one process that measures one pair. Opaque; copied by assignment. */
struct sg_simulator {
    struct sg_simulate_options options;
    uint64_t random;
    double drift;     /* ln of the clock over clock_hz, without the step */
    bool stepped;     /* the clock is one step lower */
    double offset[2]; /* ln, for each side */
    uint64_t batches; /* so far */
};

void sg_simulator_init(struct sg_simulator *simulator, const struct sg_simulate_options *options,
                       uint64_t seed);

struct sg_simulated_batch {
    struct sg_simulation what; /* the variant's true time, noise and clock sensitivity */
    unsigned side;             /* 0: baseline, 1: candidate */
    unsigned position;         /* in its block, 0..3 */
    unsigned launches;         /* number of timed launches */
};

/* Writes the time of each timed launch to ns[]. Returns the clock over the batch, Hz. */
double sg_simulate_batch(struct sg_simulator *simulator, const struct sg_simulated_batch *batch,
                         double *ns);

/* Derives a separate seed for `name` from the run's seed: mixed FNV-1a over the name. */
uint64_t sg_simulate_seed(uint64_t seed, const char *name);

/*
 * results/pair_samples.h - the batches of one process of one pair: how many are required, and their
 * result.
 *
 * Pure. Batches are in order of block and position. The worker asks when to stop, solgate whether
 * all batches are there, and `--resume` which processes of a file are whole: one function answers
 * all three. Invariant: times are rounded as in samples.csv (sg_sample_round), so the answer is the
 * same before writing and after reading.
 */
#pragma once

#include "results/samples.h"
#include "stats/abba.h"

struct sg_pair_samples {
    const struct sg_sample *items; /* borrowed */
    size_t count;
};

/* The number of batches that the process must have, given its first batches. */
size_t sg_pair_samples_wanted(const struct sg_pair_samples *batches, const struct sg_pilot *pilot,
                              uint64_t seed);
/* The measurement of one pair in one process. */
struct sg_process_result {
    struct sg_process_value ratio;
    double ln_ns;               /* ln of the median time of the candidate's own batches */
    double clock_sum;           /* Hz, sum over those batches */
    unsigned clock_count;       /* number of those batches with a clock */
    double energy_y, ln_joules; /* as y and ln_ns, of the energy of a launch; NaN: not measured */
};
/* Needs at least one block of batches. */
struct sg_process_result sg_pair_samples_result(const struct sg_pair_samples *batches,
                                                uint64_t seed);

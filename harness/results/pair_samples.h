/*
 * results/pair_samples.h - the batches of one process of one pair: how many
 * there must be, and what they say.
 *
 * Pure. Batches stand in order of block and position. The worker asks when to stop, solgate whether
 * all are there, and `--resume` which processes of a file are whole: one function answers all
 * three. Invariant: times are as samples.csv has them (sg_sample_round), so that the answer is the
 * same before the file and behind it.
 */
#pragma once

#include "results/samples.h"
#include "results/table.h"
#include "stats/abba.h"

struct sg_pair_samples {
    const struct sg_sample *items; /* borrowed */
    size_t count;
};

/* How many batches the process has that began with these. */
size_t sg_pair_samples_wanted(const struct sg_pair_samples *batches, const struct sg_pilot *pilot, uint64_t seed);
/* What one process measured of a pair. */
struct sg_process_result {
    struct sg_process_value ratio;
    double ln_ns;         /* of the median of the candidate's own batches */
    double clock_sum;     /* Hz, over those of its own batches */
    unsigned clock_count; /* of which so many have a clock */
};
/* At least a block of batches. */
struct sg_process_result sg_pair_samples_result(const struct sg_pair_samples *batches, uint64_t seed);

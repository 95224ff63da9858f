/*
 * worker/fresh_buffers.h - inputs made on the device, and outputs with plausible wrong contents.
 *
 * Each input has a pool on the device, drawn on the host from a seed. SG_NORMAL and SG_UNIFORM
 * inputs consist of pieces of their pool. A key selects the order of the pieces; one key keeps the
 * order drawn, if the pool is long enough. Every timed launch gets a new order, so no launch has
 * seen its inputs before. Only the family can make SG_CUSTOM inputs, so a key selects one of the
 * sets in the pool. All buffers of a case use the same set: a kernel that recognises a set could
 * know the expected result. Outputs keep the values of the previous launch, which had other inputs,
 * or get them at other places. Pure in seed and key: the same seed and key make the same inputs. So
 * both sides of a pair get the same inputs, the reference gets them again, and a changed input is
 * detected.
 */
#pragma once

#include "worker/case_buffers.h"

#define SG_FRESH_SETS 2 /* number of sets of SG_CUSTOM inputs in a time pass */

/* How to draw the pools. */
struct sg_pool_plan {
    uint64_t seed;
    bool integers;
    unsigned sets;   /* number of sets of SG_CUSTOM inputs */
    unsigned unseen; /* further sets, unused until sg_fresh_show_unseen */
};

/* Makes the pools unless they exist. Sets outcome to SG_OOM if there is too little memory. */
enum sg_code sg_pools_make(struct sg_buffers *buffers, const struct sg_pool_plan *plan,
                           struct sg_outcome *outcome, struct sg_err *err);
/* Makes pools of one set with that seed, and the inputs. */
enum sg_code sg_fill_inputs(struct sg_buffers *buffers, uint64_t seed, bool integers,
                            struct sg_outcome *outcome, struct sg_err *err);

#define SG_AS_DRAWN                                                              \
    0u /* a key: an input that is no longer than its pool keeps the pool's order \
        */

/* From now on keys select among all sets, until pools are made or requested again. A variant that
 * stored results for the other sets then launches differently for the new sets. */
void sg_fresh_show_unseen(struct sg_buffers *buffers);

/* Writes all inputs as drawn, including SG_INOUT buffers. Synchronizes. */
enum sg_code sg_place_inputs(struct sg_buffers *buffers, struct sg_err *err);
/* Enqueued on the device's stream. SG_INOUT inputs are written to their pristine copy; the
 * launch must restore them from there. */
enum sg_code sg_fresh_inputs(struct sg_buffers *buffers, uint64_t key, struct sg_err *err);
/* Moves the contents of the outputs to other places: all of an output, or at most `most` bytes at a
 * place that the key selects. Enqueued. */
enum sg_code sg_fresh_outputs(struct sg_buffers *buffers, uint64_t most, uint64_t key,
                              struct sg_err *err);
/* True if inputs of two keys always differ, so that outputs left from another launch are wrong.
 * False with SG_CUSTOM inputs, whose sets recur. */
bool sg_fresh_inputs_are_new(const struct sg_buffers *buffers);

/* Sets outcome to SG_OVERRUN if a launch changed one of its inputs; `key` is the key of these
 * inputs. Uses spare bytes for the largest input. Synchronizes. */
enum sg_code sg_fresh_check_inputs(struct sg_buffers *buffers, uint64_t key,
                                   struct sg_outcome *outcome, struct sg_err *err);
uint64_t sg_fresh_largest_input(const struct sg_buffers *buffers); /* bytes */

/* Derives a key from another key; neither reveals the other. */
uint64_t sg_fresh_key(uint64_t key, uint64_t number);

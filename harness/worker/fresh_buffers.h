/*
 * worker/fresh_buffers.h - inputs made on the device, and outputs that look done and are not.
 *
 * A pool stands beside each input on the device, drawn on the host from a seed. Inputs of SG_NORMAL
 * and SG_UNIFORM are made of pieces of it, of a short pool as it was drawn or in an order that a
 * key decides: before each launch that is timed, so that no launch has seen them before. Those of
 * SG_CUSTOM, which only the family can make, are one of the sets in its pool, the same for all
 * buffers of a case: a kernel that recognises a set by its contents could know what is expected.
 * Outputs keep what the launch before left, of other inputs, or at other places. Pure in seed and
 * key: the same ones make the same inputs, which is how both sides of a pair get them, how they are
 * had again for the reference, and how it is seen that a launch changed one.
 */
#pragma once

#include "worker/case_buffers.h"

#define SG_FRESH_SETS 2 /* of SG_CUSTOM inputs in a time pass */

/* What pools are drawn of. */
struct sg_pool_plan {
    uint64_t seed;
    bool integers;
    unsigned sets;   /* of SG_CUSTOM inputs */
    unsigned unseen; /* more of them, which no launch gets before sg_fresh_show_unseen */
};

/* Makes the pools, unless these are there. SG_OOM goes to outcome. */
enum sg_code sg_pools_make(struct sg_buffers *buffers, const struct sg_pool_plan *plan, struct sg_outcome *outcome, struct sg_err *err);
/* Pools of one set of that seed, and the inputs. */
enum sg_code sg_fill_inputs(struct sg_buffers *buffers, uint64_t seed, bool integers, struct sg_outcome *outcome, struct sg_err *err);

#define SG_AS_DRAWN 0u /* a key: inputs of a pool that is as long as they are keep its order */

/* From now on keys lead to all sets: one that has stored what belongs to the others shows by what
 * it launches for these. Until the pools are made, or asked for, again. */
void sg_fresh_show_unseen(struct sg_buffers *buffers);

/* All inputs as they were drawn, those of SG_INOUT where launches find them, too. Waits. */
enum sg_code sg_place_inputs(struct sg_buffers *buffers, struct sg_err *err);
/* Enqueued on the device's stream. Inputs of SG_INOUT are made in their pristine copy: a launch is
 * to restore from it. */
enum sg_code sg_fresh_inputs(struct sg_buffers *buffers, uint64_t key, struct sg_err *err);
/* Puts what is in the outputs at other places: all of it, or of a larger one
 * so many bytes, where the key says. Enqueued. */
enum sg_code sg_fresh_outputs(struct sg_buffers *buffers, uint64_t most, uint64_t key, struct sg_err *err);
/* Inputs of two keys differ, so that outputs which a launch left as they were are wrong:
 * none is of a set, which comes again. */
bool sg_fresh_inputs_are_new(const struct sg_buffers *buffers);

/* Of a launch that got the inputs of this key: SG_OVERRUN if it changed one. Takes spare bytes for
 * the largest of them. Waits. */
enum sg_code sg_fresh_check_inputs(struct sg_buffers *buffers, uint64_t key, struct sg_outcome *outcome, struct sg_err *err);
uint64_t sg_fresh_largest_input(const struct sg_buffers *buffers); /* bytes */

/* A key that follows from another one; neither gives the other away. */
uint64_t sg_fresh_key(uint64_t key, uint64_t number);

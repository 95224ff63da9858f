/*
 * worker/fresh_buffers.h - inputs that no launch has seen before, and outputs that look done and
 * are not, before each launch that is timed.
 *
 * A pool stands beside each input on the device. Inputs of SG_NORMAL and SG_UNIFORM are filled anew
 * from pieces of it. Those of SG_CUSTOM, which only the family can make, are one of SG_FRESH_SETS
 * sets, the same for all buffers of a case: whoever knows a set again by its contents can tell what
 * is expected. Outputs keep what the launch before left, of other inputs, or at other places. Pure
 * in the key: the same key makes the same inputs, which is how both sides of a pair get them and
 * how they are had again for the reference.
 */
#ifndef SG_WORKER_FRESH_BUFFERS_H
#define SG_WORKER_FRESH_BUFFERS_H

#include "worker/case_buffers.h"

#define SG_FRESH_SETS     2
#define SG_FRESH_ELEMENTS 4096u /* of a pool at least: pieces of a shorter one would know few orders */

/* Once, of open buffers: fills them by the seed as sg_buffers_keep_filled does, and makes
 * the pools. SG_OOM goes to outcome. */
enum sg_code sg_fresh_open(struct sg_buffers *buffers, uint64_t seed, struct sg_outcome *outcome, struct sg_err *err);

/* Each is enqueued on the device's stream. Inputs of SG_INOUT are made in their pristine
 * copy: a launch is to restore from it. */
enum sg_code sg_fresh_inputs(struct sg_buffers *buffers, uint64_t key, struct sg_err *err);
/* Puts what is in the outputs at other places: all of it, or of a larger one
 * so many bytes, where the key says. */
enum sg_code sg_fresh_outputs(struct sg_buffers *buffers, uint64_t most, uint64_t key, struct sg_err *err);
/* Inputs of two keys differ, so that outputs which a launch left as they were are wrong:
 * none is of a set, which comes again. */
bool sg_fresh_inputs_are_new(const struct sg_buffers *buffers);

/* Of a launch that got the inputs of this key: SG_OVERRUN if it changed one. Needs spare
 * bytes for the largest of them. Waits. */
enum sg_code sg_fresh_check_inputs(struct sg_buffers *buffers, uint64_t key, struct sg_outcome *outcome, struct sg_err *err);
uint64_t sg_fresh_largest_input(const struct sg_buffers *buffers); /* bytes */

/* A key that follows from another one; neither tells of the other. */
uint64_t sg_fresh_key(uint64_t key, uint64_t number);

#endif

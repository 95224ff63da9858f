/*
 * worker/timed_check.h - every timed launch of a pair is a checked launch, warm-up launches too.
 *
 * Two batches that follow each other, one of each side, are a round. Launch k of both gets the same
 * inputs, which no launch before had, and finds outputs that look done and are not
 * (worker/fresh_buffers.h). The outputs of the first batch are put away; those of the second are
 * compared with them, behind each launch and outside of what is timed (worker/checked_launch.h).
 * Invariant: a round that was judged right holds no launch of which the outputs were not compared.
 * What both sides get wrong alike is for sg_timed_check_reference, and for the pairs with other
 * variants.
 *
 *     sg_timed_check_open(&check, buffers, launches, outcome);
 *     for each round: sg_timed_check_begin(&check, secret); a batch with
 *     sg_timed_check_hooks(&check, false), the other side's with true;
 *                     sg_timed_check_judge(&check, &finding, err)
 */
#pragma once

#include "worker/checked_launch.h"

struct sg_timed_check {
    struct sg_kept kept; /* a slot for each launch of a batch, the warm-up launch last */
    unsigned launches;   /* of a batch, but the warm-up launch */
    bool has_warm_up;    /* a segment has none */
    uint64_t key;        /* of the round */
    unsigned round;      /* from 1 on */
    bool matching;       /* the batch under way is the second one */
};

/* Whose doing it is that outputs differ, and what differs; the
 * device's memory is as good as before. */
struct sg_timed_finding {
    bool first; /* the side that was timed first */
    struct sg_outcome outcome;
};

/* Of buffers with pools. SG_OOM goes to outcome: there is no room to put outputs away. */
void sg_timed_check_open(struct sg_timed_check *check, struct sg_buffers *buffers, unsigned launches, struct sg_outcome *outcome);

/* A new round; `secret` is what a variant must not be able to foresee. */
void sg_timed_check_begin(struct sg_timed_check *check, uint64_t secret);
/* What the device calls around each timed launch of the next batch: of
 * the first one, then of the second. */
struct sg_batch_hooks sg_timed_check_hooks(struct sg_timed_check *check, bool second);
/* After the second batch. finding->outcome is SG_OK if all outputs agree. */
enum sg_code sg_timed_check_judge(struct sg_timed_check *check, struct sg_timed_finding *finding, struct sg_err *err);

/* After a batch, whichever it was: are the guards whole, and the
 * inputs of its last launch unchanged? */
enum sg_code sg_timed_check_memory(struct sg_timed_check *check, struct sg_outcome *outcome, struct sg_err *err);
/* The same: are the outputs of its last launch what the reference says?
 * Takes as long as a verification. */
enum sg_code sg_timed_check_reference(struct sg_timed_check *check, struct sg_outcome *outcome, struct sg_err *err);

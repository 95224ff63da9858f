/*
 * worker/timed_check.h - checks every timed launch of a pair, and the warm-up launches.
 *
 * Two consecutive batches, one of each side, are a round. Launch k of both gets the same inputs,
 * which no earlier launch had, and outputs with plausible wrong contents (worker/fresh_buffers.h).
 * The outputs of the first batch are saved. Those of the second are compared with them after each
 * launch, outside the timed interval (worker/checked_launch.h). Invariant: in a round that was
 * judged correct, the outputs of every launch were compared. Errors that both sides share are left
 * to sg_timed_check_reference, and to pairs with other variants.
 *
 *     sg_timed_check_open(&check, buffers, launches, outcome);
 *     for each round: sg_timed_check_begin(&check, secret); a batch with
 *     sg_timed_check_hooks(&check, false), the other side's with true;
 *                     sg_timed_check_judge(&check, &finding, err)
 */
#pragma once

#include "worker/checked_launch.h"

struct sg_timed_check {
    struct sg_kept kept; /* one slot per launch of a batch, the warm-up launch last */
    unsigned launches;   /* per batch, without the warm-up launch */
    bool has_warm_up;    /* false for a segment */
    uint64_t key;        /* the round's key */
    unsigned round;      /* from 1 on */
    bool matching;       /* the current batch is the second one */
};

/* Which side's outputs are wrong, and the difference; device memory stays usable. */
struct sg_timed_finding {
    bool first; /* true: the side that was timed first */
    struct sg_outcome outcome;
};

/* The buffers need pools. Sets outcome to SG_OOM if memory to save outputs is short. */
void sg_timed_check_open(struct sg_timed_check *check, struct sg_buffers *buffers,
                         unsigned launches, struct sg_outcome *outcome);

/* Starts a new round; a variant must not be able to predict `secret`. */
void sg_timed_check_begin(struct sg_timed_check *check, uint64_t secret);
/* Hooks for the device to call around each launch of the next batch; second: of the second side. */
struct sg_batch_hooks sg_timed_check_hooks(struct sg_timed_check *check, bool second);
/* Call after the second batch. finding->outcome is SG_OK if all outputs agree. */
enum sg_code sg_timed_check_judge(struct sg_timed_check *check, struct sg_timed_finding *finding,
                                  struct sg_err *err);

/* Call after either batch: checks the guards, and that its last launch did not change its
 * inputs. */
enum sg_code sg_timed_check_memory(struct sg_timed_check *check, struct sg_outcome *outcome,
                                   struct sg_err *err);
/* Call after either batch: compares the outputs of its last launch with the reference. Takes as
 * long as a verification. */
enum sg_code sg_timed_check_reference(struct sg_timed_check *check, struct sg_outcome *outcome,
                                      struct sg_err *err);

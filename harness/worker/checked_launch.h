/*
 * worker/checked_launch.h - what makes a launch a checked one, in every pass: its outputs are put
 * away on the device and compared there with those of another launch of the same inputs, and the
 * family's reference is the referee.
 *
 * The passes differ in when they do so. A verification asks the reference of each launch. A time
 * pass compares both sides of a pair, a count pass all items of a case, and they ask the reference
 * where two differ, to find out which of them is wrong.
 */
#pragma once

#include "results/error_signature.h"
#include "worker/case_buffers.h"

/* ---- outputs that are put away ---- */

#define SG_SEAL_BYTES (UINT64_C(16) << 20)

/*
 * Room for the outputs of some launches, of the buffers' spare bytes. Each is within the family's
 * tolerance of the reference if it is right, so two of the same inputs are within twice that of
 * each other. Of a large output whose values must be equal a code is enough, which moves half the
 * bytes.
 */
struct sg_kept {
    struct sg_buffers *buffers;                  /* borrowed */
    uint64_t seal_bytes;                         /* outputs of so many are sealed, not kept, where all values must be equal */
    char *memory;                                /* outputs of each slot, masked; behind them a struct sg_sums for each slot and buffer */
    uint64_t slot_bytes, offset[SG_MAX_BUFFERS]; /* of each output in a slot */
    unsigned slots;
};

/* Of one output of one slot. */
struct sg_sums {
    double squares; /* of what was kept */
    struct sg_mismatch mismatch;
    uint64_t code[2]; /* of both launches, where the output is sealed */
};

/* An output that two launches do not agree on. */
struct sg_kept_difference {
    bool any;
    unsigned slot;
    size_t buffer;
    struct sg_sums sums;
};

/* SG_OOM goes to outcome. */
void sg_kept_open(struct sg_kept *kept, struct sg_buffers *buffers, unsigned slots, struct sg_outcome *outcome);
bool sg_kept_is_sealed(const struct sg_kept *kept, size_t buffer);
/* Puts outputs away, or compares them with what was put away with this key. Both are enqueued. */
enum sg_code sg_kept_put(const struct sg_kept *kept, unsigned slot, uint64_t key, void *const *outputs, struct sg_err *err);
enum sg_code sg_kept_match(const struct sg_kept *kept, unsigned slot, uint64_t key, void *const *outputs, struct sg_err *err);
/* Waits; the first of so many slots of which an output differs. */
enum sg_code sg_kept_find(const struct sg_kept *kept, unsigned slots, struct sg_kept_difference *found, struct sg_err *err);
/* The code that an output of these values has. */
uint64_t sg_kept_code_of(const struct sg_kept *kept, size_t buffer, uint64_t key, const double *values);

/* ---- the referee ---- */

/* Outputs on the host, and what the reference says they should be; NULL where nothing is
 * compared. */
struct sg_outputs {
    void *got[SG_MAX_BUFFERS];        /* owned */
    void *inputs[SG_MAX_BUFFERS];     /* owned; as the reference read them */
    double *expected[SG_MAX_BUFFERS]; /* owned */
};

struct sg_output_terms {
    bool bitwise, poisoned; /* as in struct sg_check; poisoned: outputs were, in this turn */
    unsigned turn;
    const char *inputs; /* which launch it was */
};

/* How far from the reference all outputs are, and how the gravest one is wrong. */
struct sg_output_error {
    double rms, max;                 /* as in sg_tolerance; the largest */
    char uncompared[256];            /* what of the first launch that has such was not compared; "": none */
    struct sg_error_signature wrong; /* count 0: none is */
};

void sg_outputs_release(struct sg_outputs *outputs);
/* SG_OOM of the host goes to outcome. */
enum sg_code sg_outputs_read(struct sg_buffers *buffers, struct sg_outputs *outputs, struct sg_outcome *outcome, struct sg_err *err);
/* What was put away, which comes back to the buffers; not what is sealed. */
enum sg_code sg_outputs_read_kept(const struct sg_kept *kept, unsigned slot, uint64_t key, struct sg_outputs *outputs,
                                  struct sg_outcome *outcome, struct sg_err *err);
/*
 * Asks the reference what is expected of the inputs on the device. Those of SG_INOUT come back from
 * their pristine copies, so their outputs are gone.
 * SG_INVALID: the reference failed, which is no outcome of the variant.
 */
enum sg_code sg_outputs_expect(struct sg_buffers *buffers, struct sg_outputs *outputs, struct sg_outcome *outcome, struct sg_err *err);
/* Are they what is expected? The gravest status goes to outcome; `error` may be NULL, and grows. */
void sg_outputs_judge(const struct sg_buffers *buffers, const struct sg_outputs *outputs, const struct sg_output_terms *terms,
                      struct sg_outcome *outcome, struct sg_output_error *error);

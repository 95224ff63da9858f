/*
 * worker/checked_launch.h - checks of a launch, shared by all passes. The outputs of a launch are
 * saved on the device and compared there with those of another launch on the same inputs; the
 * family's reference decides.
 *
 * The passes differ in when they check. A verification compares each launch with the reference. A
 * time pass compares both sides of a pair, a count pass all items of a case. These two use the
 * reference only if outputs differ, to find out which of them is wrong.
 */
#pragma once

#include "results/error_signature.h"
#include "worker/case_buffers.h"

/* ---- saved outputs ---- */

#define SG_SEAL_BYTES (UINT64_C(16) << 20)

/* Storage for the outputs of some launches, in the buffers' spare bytes. A correct output is within
 * the family's tolerance of the reference, so two correct outputs differ by at most twice that
 * tolerance. For a large output that must be equal a checksum is stored, which moves half the
 * bytes. */
struct sg_kept {
    struct sg_buffers *buffers; /* borrowed */
    uint64_t seal_bytes;        /* larger outputs that must be equal are stored as a checksum */
    char *memory; /* outputs of each slot, masked; then a struct sg_sums per slot and buffer */
    uint64_t slot_bytes, offset[SG_MAX_BUFFERS]; /* offsets of the outputs within a slot */
    unsigned slots;
};

/* Results for one output of one slot. */
struct sg_sums {
    double squares; /* sum of squares of the saved output */
    struct sg_mismatch mismatch;
    uint64_t code[2]; /* of both launches, if only a checksum is stored */
};

/* An output in which two launches differ. */
struct sg_kept_difference {
    bool any;
    unsigned slot;
    size_t buffer;
    struct sg_sums sums;
};

/* Sets outcome to SG_OOM if there is too little memory. */
void sg_kept_open(struct sg_kept *kept, struct sg_buffers *buffers, unsigned slots,
                  struct sg_outcome *outcome);
bool sg_kept_is_sealed(const struct sg_kept *kept, size_t buffer);
/* Saves outputs, or compares them with those saved under this key. Both only enqueue work. */
enum sg_code sg_kept_put(const struct sg_kept *kept, unsigned slot, uint64_t key,
                         void *const *outputs, struct sg_err *err);
enum sg_code sg_kept_match(const struct sg_kept *kept, unsigned slot, uint64_t key,
                           void *const *outputs, struct sg_err *err);
/* Synchronizes; finds the first of `slots` slots in which an output differs. */
enum sg_code sg_kept_find(const struct sg_kept *kept, unsigned slots,
                          struct sg_kept_difference *found, struct sg_err *err);
/* Returns the checksum of an output with these values. */
uint64_t sg_kept_code_of(const struct sg_kept *kept, size_t buffer, uint64_t key,
                         const double *values);

/* ---- comparison with the reference ---- */

/* Outputs on the host and their expected values; NULL for buffers that are not compared. */
struct sg_outputs {
    void *got[SG_MAX_BUFFERS];        /* owned */
    void *inputs[SG_MAX_BUFFERS];     /* owned; as passed to the reference */
    double *expected[SG_MAX_BUFFERS]; /* owned */
};

struct sg_output_terms {
    bool bitwise,
        poisoned; /* as in struct sg_check; poisoned: outputs were poisoned in this turn */
    unsigned turn;
    const char *inputs; /* names the launch */
};

/* The largest error of all outputs, and the worst kind of error. */
struct sg_output_error {
    double rms, max;      /* as in sg_tolerance; the largest so far */
    char uncompared[256]; /* elements not compared, from the first launch that had any; or "" */
    struct sg_error_signature wrong; /* count 0: no error */
};

void sg_outputs_release(struct sg_outputs *outputs);
/* Sets outcome to SG_OOM if there is too little host memory. */
enum sg_code sg_outputs_read(struct sg_buffers *buffers, struct sg_outputs *outputs,
                             struct sg_outcome *outcome, struct sg_err *err);
/* Reads saved outputs, copying them back to the buffers. Outputs stored as a checksum are
 * omitted. */
enum sg_code sg_outputs_read_kept(const struct sg_kept *kept, unsigned slot, uint64_t key,
                                  struct sg_outputs *outputs, struct sg_outcome *outcome,
                                  struct sg_err *err);
/* Computes the expected values of the inputs on the device. SG_INOUT buffers are restored from
 * their pristine copies, so their outputs are lost. SG_INVALID: the reference failed, which is not
 * an outcome of the variant. */
enum sg_code sg_outputs_expect(struct sg_buffers *buffers, struct sg_outputs *outputs,
                               struct sg_outcome *outcome, struct sg_err *err);
/* Compares the outputs with the expected values. Sets outcome to the gravest status. `error` may be
 * NULL; it keeps the largest errors. */
void sg_outputs_judge(const struct sg_buffers *buffers, const struct sg_outputs *outputs,
                      const struct sg_output_terms *terms, struct sg_outcome *outcome,
                      struct sg_output_error *error);

/*
 * worker/output_check.h - compares an output with the reference, and the guards around buffers.
 * Pure: host memory in, numbers out.
 *
 * Invariant: a NaN never counts as correct unless the reference is NaN too. Remaining poison never
 * counts as correct unless the reference is that very value.
 */
#pragma once

#include "solgate_kernel.h"

/* The result of running something: a status and a message with numbers, "" for ok. */
struct sg_outcome {
    enum sg_status status;
    char message[512];
    bool of_baseline; /* the paired baseline caused the outcome */
    bool is_reported; /* its status was already sent */
};

/* Records an outcome unless one is already recorded; returns the recorded status. */
enum sg_status sg_outcome_set(struct sg_outcome *outcome, enum sg_status status, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

struct sg_check {
    const struct sg_buffer *buffer;
    const void *got;        /* host copy of the output */
    const double *expected; /* buffer->count values */
    struct sg_tolerance tolerance;
    bool bitwise; /* must equal the reference rounded to the dtype, whatever the tolerance (0 equals
                     -0) */
    bool poisoned; /* the output held sg_dtype_poison(dtype, turn) before the launch */
    unsigned turn;
    const char *inputs; /* for the message: "seed 2", "integers of seed 2" */
    unsigned threads; /* threads for the comparison; 0: one per core. Results do not depend on it */
};

/* Numbers of one comparison; indices name the first or the worst element. */
struct sg_output_difference {
    uint64_t unwritten, first_unwritten;
    uint64_t nan, first_nan;
    uint64_t wrong; /* elements beyond rel_max; unequal ones if equality is required */
    uint64_t worst;
    double rel_rms, rel_max; /* as in sg_tolerance; infinite if the reference is all zero and the
                                output is not */
    double rms;              /* rms of the reference; capped if outliers raise it */
    uint64_t outliers;       /* elements of the reference above the cap */
    uint64_t both_nan;       /* elements that are NaN in both */
};

void sg_check_measure(const struct sg_check *check, struct sg_output_difference *difference);
/* Judges a measurement: unwritten before nan before wrong. */
enum sg_status sg_check_judge(const struct sg_check *check,
                              const struct sg_output_difference *difference,
                              struct sg_outcome *outcome);
/* Visits, in order, the elements that count for SG_UNWRITTEN, SG_NAN or SG_WRONG. */
void sg_check_each(const struct sg_check *check, const struct sg_output_difference *difference,
                   enum sg_status status, void (*visit)(void *context, uint64_t index),
                   void *context);
/* The expected value of an element, rounded to the dtype if equality is required. */
double sg_check_wanted(const struct sg_check *check, uint64_t index);

/* Appends the name of an element: "y[12,7]". */
struct sg_text;
void sg_element_name(const struct sg_buffer *buffer, uint64_t index, struct sg_text *text);

/* Guards: bytes on both sides of a buffer that no launch may write. Their values depend on their
 * position, so that a moved block is detected too. */
#define SG_GUARD_BYTES 4096u
void sg_guard_fill(unsigned char *bytes, uint64_t offset, uint64_t count);
/* Index of the first changed byte, relative to `bytes`; `count`: none. */
uint64_t sg_guard_find_change(const unsigned char *bytes, uint64_t offset, uint64_t count);

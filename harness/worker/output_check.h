/*
 * worker/output_check.h - is an output right? The comparison with the reference, and the guards
 * around buffers. Pure: host memory in, numbers out.
 *
 * Invariant: what is not a number never counts as right unless the reference has none either, and
 * poison that survived never does unless the reference is that very value.
 */
#pragma once

#include "solgate_kernel.h"

/*
 * What came of running something: a status of the table and a message with the numbers, "" for ok.
 */
struct sg_outcome {
    enum sg_status status;
    char message[512];
    bool of_baseline; /* of the variant that an item is paired with, not of its own */
    bool is_reported; /* its status was sent already */
};

/* Records an outcome unless one other than SG_OK is recorded
 * already; returns the recorded status. */
enum sg_status sg_outcome_set(struct sg_outcome *outcome, enum sg_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct sg_check {
    const struct sg_buffer *buffer;
    const void *got;        /* host copy of the output */
    const double *expected; /* buffer->count of them */
    struct sg_tolerance tolerance;
    bool bitwise;  /* equal to the reference rounded to the dtype, whatever the tolerance says (0 and -0 are equal) */
    bool poisoned; /* it held sg_dtype_poison(dtype, turn) before */
    unsigned turn;
    const char *inputs; /* for the message: "seed 2", "integers of seed 2" */
    unsigned threads;   /* that compare; 0: one a core. Nothing that is found depends on it */
};

/* Numbers of one comparison; indices are of the first or the worst element. */
struct sg_output_difference {
    uint64_t unwritten, first_unwritten;
    uint64_t nan, first_nan;
    uint64_t wrong; /* elements beyond rel_max, or unequal where equality is asked for */
    uint64_t worst;
    double rel_rms, rel_max; /* as in sg_tolerance; infinite when the reference is all zero and the output is not */
    double rms;              /* of the reference; or less, where outliers raise it */
    uint64_t outliers;       /* elements of the reference above that less */
    uint64_t both_nan;       /* elements that are not a number on either side */
};

void sg_check_measure(const struct sg_check *check, struct sg_output_difference *difference);
/* What was measured, judged: unwritten before nan before wrong. */
enum sg_status sg_check_judge(const struct sg_check *check, const struct sg_output_difference *difference, struct sg_outcome *outcome);
/* Visits the elements that a judgement of SG_UNWRITTEN, SG_NAN or SG_WRONG counts, in their
 * order. */
void sg_check_each(const struct sg_check *check, const struct sg_output_difference *difference, enum sg_status status,
                   void (*visit)(void *context, uint64_t index), void *context);
/* What an element should be: where equality is asked for, the nearest number that the dtype has. */
double sg_check_wanted(const struct sg_check *check, uint64_t index);

/* "y[12,7]" into text. */
struct sg_text;
void sg_element_name(const struct sg_buffer *buffer, uint64_t index, struct sg_text *text);

/*
 * Guards: bytes on both sides of a buffer that no launch may write. What they hold depends on where
 * they are, so that a block that is moved as a whole is seen too.
 */
#define SG_GUARD_BYTES 4096u
void sg_guard_fill(unsigned char *bytes, uint64_t offset, uint64_t count);
/* First byte that changed, counted from bytes; count if none. */
uint64_t sg_guard_find_change(const unsigned char *bytes, uint64_t offset, uint64_t count);

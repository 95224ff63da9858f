/*
 * device/launch_check.h - what makes a timed launch a checked one: fresh inputs, outputs that look
 * done and are wrong, outputs put away and compared with those of a later launch.
 *
 * A device takes arrays of the five requests below (device/device.h: sg_device_refill and so on),
 * at most SG_MAX_BUFFERS at once and in no order. Buffers begin where an alloc of the device
 * begins, or at a multiple of 256 bytes from there, and none overlaps another. Every pointer is to
 * memory of the device, also `squares` and `out`: read those with download.
 * Invariant: whatever two devices make of one request, its contents are the same bytes; sums may
 * differ in their last bits, because they are added up in another order.
 */
#pragma once

#include "solgate_kernel.h"

/*
 * Fresh contents of an input, at the speed of memory: pieces of 256 units, each copied from a place
 * of the pool that the key and the number of the piece choose, and that goes on at its start behind
 * its end.
 */
struct sg_refill {
    void *to;
    const void *pool;
    uint64_t bytes, pool_bytes; /* whole units, > 0 */
    unsigned unit_bytes;        /* 1, 2, 4 or 8: of one element; 1 for e2m1 */
    uint64_t key;
    bool in_order; /* no piece is drawn: each comes from its own place, of a pool of as many bytes */
};

/*
 * In place: units i and (c - i) mod count change places, c drawn with the key, so that an output
 * holds plausible values at wrong places. Doing it twice with one key undoes it.
 */
struct sg_scramble {
    void *memory;
    uint64_t count;      /* of units, > 0; two elements of e2m1 are one unit */
    unsigned unit_bytes; /* 1, 2, 4 or 8 */
    uint64_t key;
};

/*
 * Copies an output away under a mask that the key and the place decide: who looks through memory
 * for the answer does not find it there.
 */
struct sg_keep {
    void *to; /* as many bytes as the array has */
    const void *from;
    uint64_t count; /* elements, > 0; the spare half byte of an odd number of e2m1 goes along */
    enum sg_dtype dtype;
    uint64_t key;
    double *squares; /* out: sum of the squares of all finite elements */
};

/*
 * The worst of a comparison, as worker/output_check.h measures it, but for one thing: not-a-number
 * on only one side is counted in `nan`, since neither side is a reference.
 */
struct sg_mismatch {
    double error_squares, reference_squares; /* rel_rms: the root of their ratio */
    double rel_max;                          /* infinite also of anything against all zero */
    uint64_t wrong;                          /* elements beyond rel_max; all unequal ones if exact */
    uint64_t nan;
    uint64_t first;   /* the lowest index that is wrong or nan; count if none */
    double got, want; /* the values there; 0 if none */
};

/* Compares an output with what was kept. Equal: also 0 and -0, and not-a-number on both sides. */
struct sg_match {
    const void *got;
    const void *kept;
    uint64_t count;
    enum sg_dtype dtype;
    uint64_t key;          /* of the keep */
    const double *squares; /* of the keep */
    double rel_max;        /* allowed: |got - want| / (|want| + rms of what was kept), ratio */
    bool exact;            /* any inequality is wrong, whatever rel_max says */
    struct sg_mismatch *out;
};

/*
 * A code of all values of an output, which the key decides: half of what a keep moves. Outputs that
 * a match with `exact` calls equal have the same code; others have another, but for one in 2^64.
 */
struct sg_seal {
    const void *from;
    uint64_t count;      /* elements, > 0 */
    enum sg_dtype dtype; /* one that sg_can_seal */
    uint64_t key;
    uint64_t *code; /* out */
};
bool sg_can_seal(enum sg_dtype dtype);

/* The kinds of requests: constant, name, words for the message of an error. */
#define SG_CHECK_TABLE(X)                                \
    X(SG_CHECK_REFILL, refill, "refilling inputs")       \
    X(SG_CHECK_SCRAMBLE, scramble, "scrambling outputs") \
    X(SG_CHECK_KEEP, keep, "keeping outputs")            \
    X(SG_CHECK_MATCH, match, "comparing outputs")        \
    X(SG_CHECK_SEAL, seal, "taking codes of outputs")

enum sg_check_kind {
#define X(constant, name, words) constant,
    SG_CHECK_TABLE(X)
#undef X
        SG_CHECK_KINDS
};

/* The same on host memory, which need not be aligned. */
#define X(constant, name, words) void sg_host_##name(const struct sg_##name *request);
SG_CHECK_TABLE(X)
#undef X
/* An array of requests of one kind. */
void sg_host_check(enum sg_check_kind kind, const void *requests, size_t count);

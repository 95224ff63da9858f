/*
 * device/launch_check.h - makes a timed launch a checked one: fresh inputs, outputs filled with
 * plausible wrong values, outputs kept and compared with a later launch.
 *
 * A device takes arrays of the five requests below (device/device.h: sg_device_refill and so on),
 * at most SG_MAX_BUFFERS at once, in no particular order. Buffers start at an allocation of the
 * device, or at a multiple of 256 bytes from there, and do not overlap. All pointers are to device
 * memory, including `squares` and `out`: read those with download. Invariant: two devices produce
 * the same bytes for a request. Sums may differ in the last bits, because the order of addition
 * differs.
 */
#pragma once

#include "solgate_kernel.h"

/* Fresh contents of an input, at memory bandwidth. Pieces of 256 units are copied from places in
 * the pool, chosen by the key and the piece's index. At the end of the pool, a piece continues at
 * the pool's start. */
struct sg_refill {
    void *to;
    const void *pool;
    uint64_t bytes, pool_bytes; /* multiples of unit_bytes, > 0 */
    unsigned unit_bytes;        /* 1, 2, 4 or 8: of one element; 1 for e2m1 */
    uint64_t key;
    bool in_order; /* copy each piece from the same offset of a pool of the same size */
};

/* Permutes in place: swaps units i and (c - i) mod count, with c drawn from the key. So an
 * output holds plausible values at wrong places. Scrambling twice with the same key restores the
 * output. */
struct sg_scramble {
    void *memory;
    uint64_t count;      /* units, > 0; a unit of e2m1 is two elements */
    unsigned unit_bytes; /* 1, 2, 4 or 8 */
    uint64_t key;
};

/* Copies an output under a mask that depends on the key and the place. A kernel that searches
 * memory for the result cannot find it there. */
struct sg_keep {
    void *to; /* as many bytes as the array */
    const void *from;
    uint64_t count; /* elements, > 0; the spare half byte of an odd number of e2m1 is copied too */
    enum sg_dtype dtype;
    uint64_t key;
    double *squares; /* out: sum of the squares of all finite elements */
};

/* Largest differences of a comparison, defined as in worker/output_check.h. One exception: a NaN
 * on only one side counts in `nan`, because neither side is a reference. */
struct sg_mismatch {
    double error_squares, reference_squares; /* rel_rms is the root of their ratio */
    /* infinite if a nonzero value meets an all-zero array */
    double rel_max;
    /* elements beyond rel_max; if exact, all unequal ones */
    uint64_t wrong;
    uint64_t nan;
    uint64_t first;   /* lowest index that is wrong or nan; count if none */
    double got, want; /* the values at `first`; 0 if none */
};

/* Compares an output with the kept one. 0 and -0 are equal, and so are NaNs on both sides. */
struct sg_match {
    const void *got;
    const void *kept;
    uint64_t count;
    enum sg_dtype dtype;
    uint64_t key;          /* key of the keep request */
    const double *squares; /* squares of the keep request */
    double rel_max;        /* tolerance of |got - want| / (|want| + rms of the kept array), ratio */
    bool exact;            /* any inequality is wrong, whatever rel_max is */
    struct sg_mismatch *out;
};

/* A keyed code of all values of an output; moves half as much memory as a keep. Outputs that an
 * exact match calls equal have the same code; others differ, except for one in 2^64. */
struct sg_seal {
    const void *from;
    uint64_t count;      /* elements, > 0 */
    enum sg_dtype dtype; /* must satisfy sg_can_seal */
    uint64_t key;
    uint64_t *code; /* out */
};
bool sg_can_seal(enum sg_dtype dtype);

/* Kinds of requests: constant, name, words for an error message. */
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

/* The same requests on host memory, without alignment. */
#define X(constant, name, words) void sg_host_##name(const struct sg_##name *request);
SG_CHECK_TABLE(X)
#undef X
/* Processes an array of requests of one kind. */
void sg_host_check(enum sg_check_kind kind, const void *requests, size_t count);

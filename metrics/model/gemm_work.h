/*
 * model/gemm_work.h - the work of a product of matrices, or of a group of them, from its
 * shapes: what a speed of light can be had of before there is a kernel, and for number
 * formats that no GPU at hand has.
 *
 * D[m][n] = A[m][k] B[n][k]^T for each group. Flop: 2 m n k. Compulsory bytes: A, B and, where
 * blocks of k share a scale, the scales of both, read once; D written once. Invariant: what is
 * accepted gives finite work over 0; every shape that cannot be is refused by its name.
 */
#ifndef SG_MODEL_GEMM_WORK_H
#define SG_MODEL_GEMM_WORK_H

#include "util/err.h"

#define SG_GEMM_SIDE_MAX (UINT64_C(1) << 31) /* of m, n and k each */

/* One side of all groups: a number for each of them, or one number that holds for all. */
struct sg_gemm_sides {
    const uint64_t *each; /* borrowed; 1 to SG_GEMM_SIDE_MAX */
    size_t count;
};

struct sg_gemm {
    struct sg_gemm_sides m, n, k;
    enum sg_dtype in, out; /* of A and B, and of D */
    uint64_t scale_block;  /* elements along k that share a scale; 0: there are no scales */
    uint64_t scale_bytes;  /* of one scale */
    uint64_t scale_rows;   /* rows of B that share a scale; each row of A has its own */
};

/* SG_BAD_INPUT naming the side, the group and the number: zero, beyond 2^31, lists of unequal
 * length, scales of no bytes or rows. */
enum sg_code sg_gemm_work(const struct sg_gemm *gemm, struct sg_work *work, struct sg_err *err);

#endif

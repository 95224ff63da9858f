/*
 * bsr_layout.h - where a case's numbers and buffers are: D[m][n] = A[m][k] B[k][n], A in
 * block-sparse rows (BSR) of 128x128, f16, fp32 sums.
 *
 * Plain C and CUDA. Block row i of A is blocks row_ptr[i] to row_ptr[i + 1] - 1; block b stands at
 * block column col[b] and has its values, row-major, at a[b]. In a row columns rise. What a block
 * has beyond m or k is not zero and must not be used. A row may have no block: then D has zeros
 * there. Invariant: no case is used that bsr_check has refused.
 *
 *     const uint16_t *block = (const uint16_t *)l->buffer[BSR_A] + b * BSR_BLOCK * BSR_BLOCK;
 */
#ifndef BSR_LAYOUT_H
#define BSR_LAYOUT_H

#include <stdio.h>

#include "solgate_kernel.h"

#define BSR_BLOCK     128  /* rows and columns of a block */
#define BSR_MOST_ROWS 1024 /* rows and columns of blocks of a case */
#define BSR_ALIGNED_N 8    /* rows of B and D begin at whole 16 bytes */

/* sg_case.dim, and their names for sg_family.dims; share: what `pattern` says. */
#define BSR_DIMS "m,n,k,pattern,share"
enum { BSR_M, BSR_N, BSR_K, BSR_PATTERN, BSR_SHARE, BSR_DIM_COUNT };

/* Which blocks are there; `share` is in thousandths of all blocks
 * but where another meaning is told. */
enum bsr_pattern {
    BSR_UNIFORM,   /* as many in each row, at drawn columns */
    BSR_BANDED,    /* share: blocks of a row, around the diagonal */
    BSR_POWER_LAW, /* the row of rank r has 1 / r of the longest's, at drawn columns; ranks are
                      drawn, too */
    BSR_GAPS,      /* half of the rows, drawn, have none; the others as in BSR_UNIFORM */
    BSR_DENSE_ROW, /* one row has all, a third of the way down; the others as in BSR_UNIFORM */
    BSR_PATTERNS
};

enum {
    BSR_A,       /* f16 [blocks][128][128]; where there is no block, one that is not to be read */
    BSR_ROW_PTR, /* i32 [block rows + 1] */
    BSR_COL,     /* i32 [blocks]; likewise */
    BSR_B,       /* f16 [k][n] */
    BSR_D,       /* f16 [m][n] */
    BSR_BUFFERS
};

static inline int64_t bsr_blocks_of(int64_t elements)
{
    return (elements + BSR_BLOCK - 1) / BSR_BLOCK;
}

static inline int bsr_block_rows(const struct sg_case *c)
{
    return (int)bsr_blocks_of(c->dim[BSR_M]);
}

static inline int bsr_block_columns(const struct sg_case *c)
{
    return (int)bsr_blocks_of(c->dim[BSR_K]);
}

/* Of `elements`, those in block number `block`: fewer than BSR_BLOCK
 * in the last one, if it is cut off. */
static inline int64_t bsr_extent(int64_t elements, int64_t block)
{
    const int64_t left = elements - block * BSR_BLOCK;
    return left < BSR_BLOCK ? left : BSR_BLOCK;
}

static inline bool bsr_refuse(struct sg_reason *why, const char *what, int64_t found,
                              const char *expected)
{
    snprintf(why->text, sizeof(why->text), "%s is %lld, expected %s", what, (long long)found,
             expected);
    return false;
}

/* May this case be laid out and multiplied? false: *why names what is wrong with it. */
static inline bool bsr_check(const struct sg_case *c, struct sg_reason *why)
{
    const int64_t most = (int64_t)BSR_MOST_ROWS * BSR_BLOCK, share = c->dim[BSR_SHARE];
    if (c->dim[BSR_M] < 1 || c->dim[BSR_M] > most)
        return bsr_refuse(why, "m", c->dim[BSR_M], "1 to 131072");
    if (c->dim[BSR_K] < 1 || c->dim[BSR_K] > most)
        return bsr_refuse(why, "k", c->dim[BSR_K], "1 to 131072");
    if (c->dim[BSR_N] < 1 || c->dim[BSR_N] > most)
        return bsr_refuse(why, "n", c->dim[BSR_N], "1 to 131072");
    if (c->dim[BSR_PATTERN] < 0 || c->dim[BSR_PATTERN] >= BSR_PATTERNS)
        return bsr_refuse(why, "pattern", c->dim[BSR_PATTERN], "one of enum bsr_pattern");
    if (c->dim[BSR_PATTERN] == BSR_BANDED && (share < 0 || share > bsr_block_columns(c)))
        return bsr_refuse(why, "share", share, "0 to as many blocks as a row has room for");
    return (share >= 0 && share <= 1000) ||
           bsr_refuse(why, "share", share, "0 to 1000 thousandths");
}

/* The same for kernels that load 16 bytes at a time. */
static inline bool bsr_check_aligned(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check(c, why) && (c->dim[BSR_N] % BSR_ALIGNED_N == 0 ||
                                 bsr_refuse(why, "n", c->dim[BSR_N], "a multiple of 8"));
}

#endif

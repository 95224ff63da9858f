/*
 * gemm_layout.h - where a case's numbers and buffers are: D[m][n] = A[m][k]
 * B[n][k]^T, row-major, fp32 sums.
 *
 * Plain C and CUDA. What a case multiplies is its `dtype`: bf16 or f16 give D of the same, e4m3
 * (with scales of blocks) gives bf16. Invariant: family.cpp fills these in, and every variant, the
 * vendor's too, reads them by these names alone.
 *
 *     const int64_t m = l->c->dim[GEMM_M];
 *     const void *a = l->buffer[GEMM_A];
 */
#ifndef GEMM_LAYOUT_H
#define GEMM_LAYOUT_H

#include "solgate_kernel.h"

#ifdef __CUDACC__
#define GEMM_BOTH __host__ __device__ constexpr static inline
#elif defined(__cplusplus)
#define GEMM_BOTH constexpr static inline
#else
#define GEMM_BOTH static inline
#endif

/*
 * sg_case.dim, and their names for sg_family.dims. A tile is what `ctas` blocks compute
 * together: in a cluster of two, side by side in m, each half of the rows. It is the
 * kernel's business: a library ignores it.
 */
#define GEMM_DIMS "m,n,k,tile_m,tile_n,ctas,kind"
enum { GEMM_M, GEMM_N, GEMM_K, GEMM_TILE_M, GEMM_TILE_N, GEMM_CTAS, GEMM_KIND, GEMM_DIM_COUNT };

/* What dim[GEMM_KIND] says of scales and of what counts as right. Without scales
 * all cases are of the first kind. */
enum gemm_kind {
    GEMM_BLOCKS,  /* each block its own scale: what the family is about */
    GEMM_UNIFORM, /* one for all of A, one for all of B: right for kernels that know no others too
                   */
    GEMM_LOOSE    /* the same, and what 14 bits of one accumulator lose over k is allowed */
};

/* The first three are there in every case, the scales in those of e4m3. */
enum {
    GEMM_A,   /* [m][k] */
    GEMM_B,   /* [n][k] */
    GEMM_D,   /* [m][n] */
    GEMM_SFA, /* f32 [ceil(k/128)][m]: one scale for 128 of k in a row of A, neighbours in m next to
                 each other */
    GEMM_SFB, /* f32 [ceil(n/128)][gemm_sfb_row()]: one scale for a block of 128x128 of B,
                 neighbours in k next to each other */
    GEMM_BUFFERS
};

#define GEMM_SCALE_BLOCK 128 /* elements that share a scale: of k, and in B of n too */
#define GEMM_SCALE_BOX \
    4 /* scales of B next to each other in k that the copy engine moves at least: 16 bytes */

GEMM_BOTH bool gemm_has_scales(const struct sg_case *c)
{
    return c->dtype == SG_E4M3;
}

/* May a kernel take the first scale of A and the first of B for all of them? */
GEMM_BOTH bool gemm_is_uniform(const struct sg_case *c)
{
    return gemm_has_scales(c) && c->dim[GEMM_KIND] != GEMM_BLOCKS;
}

/* Buffers of the case. */
GEMM_BOTH size_t gemm_buffer_count(const struct sg_case *c)
{
    return gemm_has_scales(c) ? GEMM_BUFFERS : GEMM_SFA;
}

GEMM_BOTH enum sg_dtype gemm_output(const struct sg_case *c)
{
    return gemm_has_scales(c) ? SG_BF16 : c->dtype;
}

/* Scales along k of `elements`: one for each block that is begun. */
GEMM_BOTH int64_t gemm_scales(int64_t elements)
{
    return (elements + GEMM_SCALE_BLOCK - 1) / GEMM_SCALE_BLOCK;
}

/* Elements from one row of SFB to the next: cuBLASLt wants a multiple of four. Those
 * beyond gemm_scales(k) are never read. */
GEMM_BOTH int64_t gemm_sfb_row(int64_t k)
{
    return (gemm_scales(k) + 3) / 4 * 4;
}

#endif

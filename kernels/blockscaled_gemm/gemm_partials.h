/*
 * gemm_partials.h - memory for sums of a part of a tile's k, for code of the host and of the
 * device: gemm_partials.cuh has what threads do with it.
 */
#ifndef GEMM_PARTIALS_H
#define GEMM_PARTIALS_H

#include <stdint.h>
#include <vector_types.h>

#define GEMM_PARTIAL_SUMS \
    96 /* of a thread at most: those of 64 rows by 128 columns, and by half of them */
#define GEMM_PARTIAL_FLAGS 8 /* of a place: one for each warp that multiplies */
#define GEMM_PARTIAL_BYTES (256 * GEMM_PARTIAL_SUMS * 4)

/* Memory of a launch for so many places: GEMM_PARTIAL_BYTES each, and GEMM_PARTIAL_FLAGS. */
struct gemm_partials {
    float4 *sums;
    uint32_t *flags;
    uint32_t *drawn; /* how many turns were drawn in this launch */
};

#endif

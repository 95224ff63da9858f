/*
 * gemm_maps.h - host code that every family of GEMMs needs: tensor maps, and what
 * an error of the runtime comes to.
 *
 * Invariant: a map that the driver refuses is SG_UNSUPPORTED, a driver without maps
 * SG_UNAVAILABLE, each with its reason in *why.
 *
 *     const struct gemm_map_request want = {a, SG_BF16, m, k, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B};
 *     status = gemm_make_map(&want, &arguments.a, why);
 */
#ifndef GEMM_MAPS_H
#define GEMM_MAPS_H

#include <cuda.h>

#include "solgate_kernel.h"

/* A matrix of rows as the copy engine sees it, and the box that it moves at a time. */
struct gemm_map_request {
    void *memory;
    enum sg_dtype type;
    int64_t rows, columns;
    int box_rows, box_columns;
    CUtensorMapSwizzle swizzle;
    /* The L2 fetches 128 bytes of a row at a time, and not 256: lines that are to leave it first
     * may leave before they are asked for. */
    bool exact = false;
};

int gemm_element_bytes(
    enum sg_dtype type); /* of operands, results and scales: not of formats below a byte */
enum sg_status gemm_make_map(const struct gemm_map_request *want, CUtensorMap *map,
                             struct sg_reason *why);

/* What the runtime's last error is, else SG_LAUNCH_FAILED; it is cleared. */
enum sg_status gemm_cuda_failed(struct sg_reason *why);

#endif

/*
 * gemm_columns.cuh - tiles of varying width: a main loop for each.
 *
 * Invariant: a tile is multiplied by as many columns as it has, a multiple of GEMM_NARROW, and
 * its sums are those of that width alone. How it is used: gemm_kernel.cuh calls
 * multiply_columns in designs that vary.
 */
#ifndef GEMM_COLUMNS_CUH
#define GEMM_COLUMNS_CUH

#include "gemm_math.cuh"

/*
 * As multiply_tile, by as many columns as the tile has: a main loop for each width, with sums of
 * its own. Of sums that all widths share the compiler said that products are serialised; those that
 * are not set to zero here it keeps alive from tile to tile, and spills.
 */
template <gemm_design D, int COLUMNS, class RESULT>
static __device__ inline void multiply_columns(gemm_math<D> *math, RESULT *result, int tile,
                                               int step)
{
    if constexpr (COLUMNS > GEMM_NARROW)
        if (result->next_columns < COLUMNS) {
            multiply_columns<D, COLUMNS - GEMM_NARROW>(math, result, tile, step);
            return;
        }
    const gemm_shape &shape = result->g.shape;
    float sums[D.group_rows() / 64][COLUMNS / 2] = {};
    multiply_tile<D>(sums, math, shape.blocks_k, result, tile >= step);
    /* While the last products are in flight there is time to look for the next tile. */
    if (tile + step < shape.tiles)
        result->next_columns = columns_of<D>(result->g, tile + step);
    math->end_tile();
    if constexpr (D.store_at_once())
        result->held = {}; /* what a narrower tile leaves of it would stay alive, in registers that
                              the next tile's sums need */
    result->held.take(sums);
    result->columns = COLUMNS;
}

#endif

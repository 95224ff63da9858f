/*
 * blockscaled_gemm/linear_raster - tiles row by row where the baseline takes eight rows at a time.
 *
 * What runs at the same time reads two or three rows of tiles of A and every row of B,
 * which does not fit into the L2 here. Expect a lower L2 hit rate and more bytes from
 * DRAM. Time is another matter: a main loop that is bound by the tensor cores hides them
 * where k is long (notes.md, "Times").
 */
#include "gemm_launch.h"

SG_VARIANT(blockscaled_gemm, linear_raster) = {
    .summary = "tiles row by row where B does not fit into the L2",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports_group<1>,
    .prepare = gemm_prepare<gemm_with_group<1>>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<gemm_with_group<1>>,
};

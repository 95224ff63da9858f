/*
 * blockscaled_gemm/grouped_raster - tiles in groups of eight rows
 * where the baseline goes row by row.
 *
 * What every tutorial recommends, where it does not pay: B is small enough to stay in the L2 if
 * each row of tiles comes back to it, and in groups it is the D of four rounds that goes through in
 * between. Expect more bytes from DRAM: B once for each group.
 */
#include "gemm_launch.h"

SG_VARIANT(blockscaled_gemm, grouped_raster) = {
    .summary = "tiles eight rows at a time where B fits into the L2",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports_group<8>,
    .prepare = gemm_prepare<gemm_with_group<8>>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<gemm_with_group<8>>,
};

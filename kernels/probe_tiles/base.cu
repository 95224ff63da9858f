/* probe_tiles/base - tiles of 64 by 64. */
#include "tiles.cuh"

SG_VARIANT(probe_tiles, base) = {
    .summary = "tiles of 64 by 64", .role = SG_BASELINE, .launch = tiles_launch<64, 64>};

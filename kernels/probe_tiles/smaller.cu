/* probe_tiles/smaller - tiles of a half, a quarter, an eighth. Expect: more loads from L2, narrower
 * or repeated loads, more is read from L2, more shared memory accesses. */
#include "tiles.cuh"

static void launch(const struct sg_launch *l)
{
    const int strength = (int)l->c->dim[TILES_STRENGTH];
    if (strength == 1)
        tiles_launch<64, 32>(l);
    else if (strength == 2)
        tiles_launch<32, 32>(l);
    else
        tiles_launch<32, 16>(l);
}

SG_VARIANT(probe_tiles,
           smaller) = {.summary = "smaller tiles", .role = SG_CANDIDATE, .launch = launch};

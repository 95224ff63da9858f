/*
 * group_gemm/per_cta_tensormaps_rebuilt - a block for each tile, which
 * makes three tensor maps of its own.
 *
 * Not persistent, so each tile pays for three maps: copies of a model in shared memory, changed
 * there, published to global memory and acquired by the threads that use them, with nothing to
 * multiply meanwhile. Expect a cost for each tile that does not depend on k, so the more of the
 * whole the smaller the case is, and stalls on memory barriers at the kernel's head.
 */
#include "group_launch.h"

static struct group_setup choose(const struct sg_case *c, const int64_t *)
{
    struct group_setup setup = group_with_block_maps(c);
    setup.grid = GROUP_BLOCK_A_TILE;
    return setup;
}

SG_VARIANT(group_gemm, per_cta_tensormaps_rebuilt) = {
    .summary = "a block for each tile, which makes its own maps",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = group_supports,
    .prepare = group_prepare<choose>,
    .launch = group_launch,
    .finish = group_finish,
    .facts = group_facts<choose>,
};

/*
 * blockscaled_gemm/store_global - results straight from registers to memory, not through
 * shared memory and the copy engine.
 *
 * A warp's store is 16 bytes in each of eight rows: half of each sector's request is for others,
 * and addresses are computed by the threads that should multiply. Expect global store sectors and
 * requests from none to millions, and a cost for each tile that does not depend on k, so most
 * where k is short (notes.md, "Times").
 */
#include "gemm_kernel.cuh"

static constexpr gemm_design plain(gemm_design design)
{
    design.plain_store = true;
    return design;
}

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.kernel = gemm_has_scales(c) ? gemm_kernel_of<SG_E4M3, plain>(setup.tile)
                                      : gemm_kernel_of<SG_BF16, plain>(setup.tile);
    return setup;
}

SG_VARIANT(blockscaled_gemm, store_global) = {
    .summary = "results by ordinary stores, 16 bytes of a row at a time",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports_but_f16,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};

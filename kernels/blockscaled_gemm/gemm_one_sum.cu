/* The kernels of e4m3 without promotion, compiled once for the variants
 * that ask different cases of them. */
#include "gemm_kernel.cuh"

/*
 * The design for elements of 16 bits: without scales in its stages and without block sums in its
 * registers there is room for what those have, a tile for each warpgroup or results that leave
 * behind the next tile's products.
 */
static constexpr gemm_design one_sum(gemm_design design)
{
    design.type = SG_E4M3;
    design.one_sum = true;
    return design;
}

struct gemm_setup gemm_one_sum(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    struct gemm_tile plain = setup.tile;
    plain.dtype = SG_BF16;
    setup.kernel = gemm_kernel_of<SG_BF16, one_sum>(plain);
    setup.plan = gemm_plan_of(GEMM_HOPPER, plain, GEMM_GREEDY);
    return setup;
}

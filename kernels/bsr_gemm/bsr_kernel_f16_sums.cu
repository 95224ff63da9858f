/* The kernel of f16_sums, compiled on its own. */
#include "bsr_tiles.cuh"

bsr_kernel *bsr_kernel_f16_sums()
{
    return bsr_tensor<bsr_design{.f16_sums = true}>;
}

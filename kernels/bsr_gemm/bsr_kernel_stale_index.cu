/* The kernel of stale_index, compiled on its own. */
#include "bsr_tiles.cuh"

bsr_kernel *bsr_kernel_stale_index()
{
    return bsr_tensor<bsr_design{.stale_index = true}>;
}

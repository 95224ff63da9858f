/* probe/one_block - one block an SM: what `clusters` is held against. */
#include "probe.cuh"

static enum sg_status prepare(const struct sg_launch *, void **, struct sg_reason *)
{
    cudaFuncSetAttribute(probe_kernel<probe_base>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         160 << 10);
    return SG_OK;
}

static void launch(const struct sg_launch *l)
{
    probe_launch<probe_base>(l, l->sm_count, 150 << 10);
}

SG_VARIANT(probe, one_block) = {
    .summary = "one block an SM", .role = SG_CANDIDATE, .prepare = prepare, .launch = launch};

/* probe/occupancy - shared memory leaves room for three, two, one block on an SM, which had
 * four. Three blocks an SM (strength 1) do not divide the tiles of math and tile. Expect: fewer
 * warps fit on an SM, imbalance between SMs. */
#include "probe.cuh"

static enum sg_status prepare(const struct sg_launch *, void **, struct sg_reason *)
{
    cudaFuncSetAttribute(probe_kernel<probe_base>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         160 << 10);
    return SG_OK;
}

static void launch(const struct sg_launch *l)
{
    static const int bytes[] = {0, 38 << 10, 72 << 10, 150 << 10}; /* beside 32 KiB */
    const int strength = (int)l->c->dim[PROBE_STRENGTH];
    probe_launch<probe_base>(l, (4 - strength) * l->sm_count, bytes[strength]);
}

SG_VARIANT(probe, occupancy) = {
    .summary = "fewer warps on an SM", .role = SG_CANDIDATE, .prepare = prepare, .launch = launch};

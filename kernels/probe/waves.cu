/* probe/waves - the blocks of the base, of which shared memory leaves room for three, two, one on
 * an SM. Three leave a last wave. Expect: fewer warps fit on an SM, a last wave of fewer warps, a
 * last wave that is not full. */
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
    probe_launch<probe_base>(l, PROBE_BLOCKS(l), bytes[l->c->dim[PROBE_STRENGTH]]);
}

SG_VARIANT(probe, waves) = {.summary = "fewer warps fit, of as many blocks",
                            .role = SG_CANDIDATE,
                            .prepare = prepare,
                            .launch = launch};

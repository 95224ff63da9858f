/* probe/few_blocks - a half, a quarter, an eighth of the SMs get a block. Expect: too few
 * blocks. */
#include "probe.cuh"

static void launch(const struct sg_launch *l)
{
    probe_launch<probe_base>(l, l->sm_count >> l->c->dim[PROBE_STRENGTH], 0);
}

SG_VARIANT(probe, few_blocks) = {
    .summary = "fewer blocks than SMs", .role = SG_CANDIDATE, .launch = launch};

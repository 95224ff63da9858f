/* probe/last_wave - blocks with more tiles each, whose number is not a multiple of the SMs.
 * Where DRAM is the limit, SMs end together, later for want of warps (stream). Expect: a last wave
 * that is not full, fewer warps are launched. */
#include "probe.cuh"

static void launch(const struct sg_launch *l)
{
    static const int of_blocks[] = {0, 3, 5, 7}; /* tiles of a block, of 8 that an SM has */
    const int strength = (int)l->c->dim[PROBE_STRENGTH];
    probe_launch<probe_base>(l, (8 * l->sm_count + of_blocks[strength] - 1) / of_blocks[strength],
                             0);
}

SG_VARIANT(probe, last_wave) = {
    .summary = "another number of blocks", .role = SG_CANDIDATE, .launch = launch};

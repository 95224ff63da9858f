/* probe/base - what every mechanism is held against. */
#include "probe.cuh"

static void launch(const struct sg_launch *l)
{
    probe_launch<probe_base>(l, PROBE_BLOCKS(l), 0);
}

SG_VARIANT(probe,
           base) = {.summary = "without any mechanism", .role = SG_BASELINE, .launch = launch};

/*
 * stream/copy - four loads in flight
 *
 * The copy of the family reference, on larger buffers. Expect dram_throughput near 90.
 */
#include "stream.cuh"

SG_VARIANT(stream, copy) = {
    .summary = "four loads in flight",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = stream_launch<4, false>,
};

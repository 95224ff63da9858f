/*
 * stream/copy_8 - eight loads in flight
 *
 * Against copy: twice the bytes in flight a thread, at more registers; helps where occupancy
 * alone does not hide DRAM's latency.
 */
#include "stream.cuh"

SG_VARIANT(stream, copy_8) = {
    .summary = "eight loads in flight",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = stream_launch<8, false>,
};

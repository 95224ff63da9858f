/*
 * stream/copy_16 - sixteen loads in flight
 *
 * Against copy_8: twice as many again. Expect fewer warps, and no more bytes in
 * flight on a GPU that was full before.
 */
#include "stream.cuh"

SG_VARIANT(stream, copy_16) = {
    .summary = "sixteen loads in flight",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = stream_launch<16, false>,
};

/*
 * stream/copy_once - eight loads in flight, each byte marked as used once
 *
 * Against copy_8: evict-first loads and stores, so that what is written does not push out what is
 * about to be. Expect the same sectors.
 */
#include "stream.cuh"

SG_VARIANT(stream, copy_once) = {
    .summary = "eight loads in flight, each byte marked as used once",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = stream_launch<8, true>,
};

/*
 * adversary/tail_launch - half of its work in a kernel that it launches from the device, for when
 * it has ended.
 */
#include "adversary_device.cuh"

SG_VARIANT(adversary, tail_launch) = {
    .summary = "half of its work in a tail launch from the device",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .launch = launch_halves<true>,
};

/*
 * adversary/fire_and_forget - half of its work in a kernel that it launches from the device, and
 * does not wait for.
 */
#include "adversary_device.cuh"

SG_VARIANT(adversary, fire_and_forget) = {
    .summary = "half of its work in a kernel that it launches from the device",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .launch = launch_halves<false>,
};

/*
 * twins/second - the second instantiation of each kernel
 */
#include "twins.cuh"

SG_VARIANT(twins, second) = {
    .summary = "the second instantiation of each kernel",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = twins_launch<1>,
};

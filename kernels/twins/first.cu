/*
 * twins/first - the first instantiation of each kernel
 */
#include "twins.cuh"

SG_VARIANT(twins, first) = {
    .summary = "the first instantiation of each kernel",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = twins_launch<0>,
};

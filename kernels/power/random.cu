/*
 * power/random - the instructions of zeros, on random numbers.
 *
 * Against zeros: every count of instructions and every cycle the same; power up to the cap, the SM
 * clock down, and time up as the clock goes down. Taking turns with zeros hides a part of that,
 * because the two share the clock; launched on end it shows.
 */
#include "power.cuh"

SG_VARIANT(power, random) = {
    .summary = "multiplies random numbers",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = power_launch<~0u>,
};

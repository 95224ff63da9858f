/*
 * power/zeros - the instructions of random, on zeros.
 *
 * The baseline. Nothing toggles, so an H200 draws some 250 of its 700 W at its highest clock.
 */
#include "power.cuh"

SG_VARIANT(power, zeros) = {
    .summary = "multiplies zeros",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = power_launch<0>,
};

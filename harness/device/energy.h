/*
 * device/energy.h - the power of launches back to back, from a counter of energy that changes in
 * steps.
 *
 * NVML's counter changes every 20 to 100 ms, so a reading alone is late by an unknown part of that.
 * The counter is read every SG_ENERGY_POLL_S, and only readings at which it changed count: the
 * power is the energy between the first and the last change over the time between them. Its error
 * is one poll at each end, 0.6 % of a segment (SG_ENERGY_SEGMENT_MS) at most, and half of that on
 * average. The energy of a launch is that power times the time of a launch. It contains what the
 * GPU draws when idle, and any wait between two launches. Pure.
 */
#pragma once

#include <math.h>

#define SG_ENERGY_POLL_S 0.002
#define SG_ENERGY_NOTICE "the energy counter changed fewer than 3 times in a segment"

struct sg_energy {
    double from_s; /* earlier changes do not count: the GPU warms up */
    double joules; /* of the last reading; 0: none */
    double first_s, first_joules, last_s, last_joules;
    unsigned changes;
};

/* Takes a reading; the times increase. NaN: not known. */
static inline void sg_energy_take(struct sg_energy *energy, double at_s, double joules)
{
    if (energy->joules > 0 && joules > energy->joules && at_s >= energy->from_s) {
        if (energy->changes++ == 0) {
            energy->first_s = at_s;
            energy->first_joules = joules;
        }
        energy->last_s = at_s;
        energy->last_joules = joules;
    }
    energy->joules = joules;
}

/* Energy of a launch that takes `ns`, J; 0: the counter changed too seldom. */
static inline double sg_energy_of_launch(const struct sg_energy *energy, double ns)
{
    const double s = energy->last_s - energy->first_s;
    return energy->changes < 3 ? 0 : (energy->last_joules - energy->first_joules) / s * ns * 1e-9;
}

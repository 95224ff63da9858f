/*
 * device/energy.h - the power of launches back to back, from a counter of energy that changes in
 * steps.
 *
 * NVML's counter changes every 20 to 100 ms, so a reading alone is late by an unknown part of that.
 * The counter is read every SG_ENERGY_POLL_S, and only readings at which it changed count: the
 * power is the energy between the first and the last change over the time between them. Its error
 * is one poll over that time: at most 0.3 % of the usual 0.65 s, and 0.8 % of the shortest. The
 * energy of a launch is that power times the time from one launch to the next. It contains what the
 * GPU draws when idle. Pure.
 */
#pragma once

#define SG_ENERGY_POLL_S  0.002
#define SG_ENERGY_LEAST_S 0.25 /* between the first and the last change */
#define SG_ENERGY_SELDOM  "NVML's energy counter changed for less than 0.25 s of a 1 s segment"

struct sg_energy {
    double from_s; /* earlier changes do not count: the GPU warms up */
    double joules; /* the last reading; 0: none */
    double first_s, first_joules, last_s, last_joules; /* first_s 0: no change */
};

/* Takes a reading; the times increase. NaN: not known. */
static inline void sg_energy_take(struct sg_energy *energy, double at_s, double joules)
{
    if (energy->joules > 0 && joules > energy->joules && at_s >= energy->from_s) {
        if (energy->first_s == 0) {
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
    return s < SG_ENERGY_LEAST_S ? 0 : (energy->last_joules - energy->first_joules) / s * ns * 1e-9;
}

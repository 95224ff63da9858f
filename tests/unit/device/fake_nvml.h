/*
 * fake_nvml.h - what a test tells the driver that is not there: the fake libnvidia-ml of
 * fake_nvml.c, with its struct `fake_nvml`.
 *
 * Built as a driver that adds up what held the clock down, as one that has no such function, and
 * for programs on the stand-in, where STANDIN_CLOCK is the clock in MHz. All bear the name of the
 * real library, so that whoever is loaded first is what NVML's users get. Invariant: what the test
 * does not set, the driver does not know.
 */
#pragma once

#include <stdbool.h>

enum { FAKE_POLICIES = 2 };

struct fake_nvml {
    unsigned clock_mhz; /* 0: not known */
    bool held_known[FAKE_POLICIES];
    unsigned long long held_ns[FAKE_POLICIES];
    unsigned processes; /* that compute: this one last, unless it is hidden */
    bool is_hidden;     /* this one has another number */
    unsigned long long used_bytes;
    unsigned long long energy_mj; /* only of a new driver */
};

/*
 * inject/launches.h - launch calls whose records have not come yet, by correlation.
 *
 * A launch call is begun before it runs, with the kernels it will run; each record that comes is
 * one of those. Not synchronised: the caller holds sg_inject_lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SG_KERNELS_UNKNOWN UINT32_MAX

struct sg_launch_call {
    uint64_t time_ns; /* before it was called, by CUPTI's clock */
    uint32_t range;   /* number of its name */
    uint32_t kernels; /* whose records are still to come, or SG_KERNELS_UNKNOWN */
};

void sg_launches_begin(uint32_t correlation, const struct sg_launch_call *call);
/* It failed, or was only captured. */
void sg_launches_cancel(uint32_t correlation);
/* A record has come: false, and it is of no call that is known. */
bool sg_launches_take(uint32_t correlation, struct sg_launch_call *call);

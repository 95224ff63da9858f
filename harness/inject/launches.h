/*
 * inject/launches.h - launch calls whose kernels CUPTI has not reported yet, by correlation id.
 *
 * sg_launches_begin stores a call before it runs, with its number of kernels. Each kernel that
 * CUPTI reports takes one of them. Not synchronised: the caller holds sg_inject_lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SG_KERNELS_UNKNOWN UINT32_MAX

struct sg_launch_call {
    uint64_t time_ns; /* before the call, by CUPTI's clock */
    uint64_t before;  /* number of kernels launched before the call */
    uint32_t range;   /* name number of the range */
    uint32_t kernels; /* kernels that CUPTI has not reported, or SG_KERNELS_UNKNOWN */
};

void sg_launches_begin(uint32_t correlation, const struct sg_launch_call *call);
/* Forgets a call that failed or was only captured. */
void sg_launches_cancel(uint32_t correlation);
/* Returns false if the call is unknown. */
bool sg_launches_take(uint32_t correlation, struct sg_launch_call *call);

/*
 * worker/random_fill.h - data for inputs: normal, uniform or small integers, of any dtype, drawn on
 * several cores. Pure: the same plan gives the same bytes.
 */
#pragma once

#include "solgate_kernel.h"

#define SG_FILL_PERIOD \
    1048573u /* largest prime below 2^20: longer inputs repeat this many elements */

struct sg_fill_plan {
    enum sg_dtype dtype;
    uint64_t count;    /* elements */
    enum sg_fill kind; /* SG_NORMAL or SG_UNIFORM */
    double scale;      /* as in struct sg_buffer */
    bool integers;     /* -2..2 instead; their sums are exact in f32 up to 2^23 terms */
    uint64_t seed;
};

/* Writes `count` elements to `memory`. */
void sg_fill(const struct sg_fill_plan *plan, void *memory);

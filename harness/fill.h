/*
 * fill.h - inputs at the speed of memory: normal data or small integers of any dtype.
 *
 * A prime number of elements is drawn once; longer buffers are tiled with pieces of it that start at drawn places, so that rows of a
 * round length do not repeat each other. Pure: the same seed gives the same bytes.
 */
#ifndef SG_FILL_H
#define SG_FILL_H

#include "solgate_kernel.h"

#define SG_FILL_PERIOD 1048573u /* the largest prime below 2^20 */

struct sg_fill_plan {
    enum sg_dtype dtype;
    uint64_t count; /* elements */
    double scale;   /* standard deviation of the normal data; 0 means 1 */
    bool integers;  /* -2..2 instead, whose sums are exact in f32 up to 2^23 terms */
    uint64_t seed;
};

/* Writes count elements to memory. */
void sg_fill(const struct sg_fill_plan *plan, void *memory);

#endif

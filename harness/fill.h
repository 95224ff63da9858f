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

/* The same in two steps, for memory that is slow to write: what is drawn goes there once, the rest is copied where it is. */
struct sg_fill_rest {
    uint64_t random, unit, period, done, total; /* in units of so many bytes, but for the state of the generator */
};
struct sg_fill_piece {
    uint64_t to, from, bytes; /* offsets in bytes; never overlap */
};

/* Bytes of the part that is drawn: all of a short buffer. */
uint64_t sg_fill_drawn_bytes(const struct sg_fill_plan *plan);
/* Draws that part to memory. */
void sg_fill_draw(const struct sg_fill_plan *plan, void *memory, struct sg_fill_rest *rest);
/* The next piece to copy; false: there is none. */
bool sg_fill_next(struct sg_fill_rest *rest, struct sg_fill_piece *piece);

#endif

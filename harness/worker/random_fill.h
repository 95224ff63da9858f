/*
 * worker/random_fill.h - inputs at the speed of memory: normal or evenly spread data,
 * or small integers, of any dtype.
 *
 * A prime number of elements is drawn once, on several cores; longer buffers are tiled with pieces
 * of it that start at drawn places, so that rows of a round length do not repeat each other. Pure:
 * the same seed gives the same bytes.
 */
#ifndef SG_WORKER_RANDOM_FILL_H
#define SG_WORKER_RANDOM_FILL_H

#include "solgate_kernel.h"

#define SG_FILL_PERIOD 1048573u /* the largest prime below 2^20 */

struct sg_fill_plan {
    enum sg_dtype dtype;
    uint64_t count;    /* elements */
    enum sg_fill kind; /* SG_NORMAL or SG_UNIFORM */
    double scale;      /* as in struct sg_buffer */
    bool integers;     /* -2..2 instead, whose sums are exact in f32 up to 2^23 terms */
    uint64_t seed;
};

/* Writes count elements to memory. */
void sg_fill(const struct sg_fill_plan *plan, void *memory);

/*
 * The same in two steps, for memory that is slow to write or to read: what is drawn goes there
 * once, the rest is copied where it is, and compared where it is.
 */
struct sg_fill_rest {
    uint64_t random, unit, period, done, total; /* in units of so many bytes, but for the state of the generator */
};
struct sg_fill_piece {
    uint64_t to, from, bytes; /* offsets in bytes; never overlap */
};

/* Draws the first part, done * unit bytes, to memory: all of a short buffer. */
void sg_fill_draw(const struct sg_fill_plan *plan, void *memory, struct sg_fill_rest *rest);
/* What is to be copied where it is, without gaps and in the order of the memory: an array for the
 * caller to free; NULL and 0: nothing. */
struct sg_fill_piece *sg_fill_pieces(const struct sg_fill_rest *rest, size_t *count);
/* Copies all pieces, on several cores. */
void sg_fill_tile(const struct sg_fill_rest *rest, void *memory);

#endif

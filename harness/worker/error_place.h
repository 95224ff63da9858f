/*
 * worker/error_place.h - where in an output its wrong elements are: whole rows, columns or tiles, a
 * tail, every n-th, or scattered. Pure.
 *
 * A structure is found where it explains the wrong elements: at least SG_PLACE_SHARE of it is
 * wrong, and at least that share of what is wrong is in it. A few elements of a wrong tile are
 * right by chance, within the tolerance, so equality would find nothing. Structures are tried
 * from the simplest to the least: one element, all, rows, columns, the tail, a block or a
 * grid, tiles, every n-th element.
 */
#ifndef SG_WORKER_ERROR_PLACE_H
#define SG_WORKER_ERROR_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

#define SG_PLACE_SHARE 0.9  /* least share that makes a structure */
#define SG_PLACE_FIRM  0.95 /* least share of one that other inputs give again */

/* Which elements are wrong. */
struct sg_error_map {
    uint64_t rows, columns;    /* > 0; of a one-dimensional output 1 row */
    const unsigned char *bits; /* rows * columns of them: element k is bit k % 8 of byte k / 8 */
};

enum sg_place_kind {
    SG_PLACE_SPREAD,    /* no element is wrong by itself: the error is in their sum of squares */
    SG_PLACE_ELEMENT,   /* one */
    SG_PLACE_ALL,       /* nearly all elements */
    SG_PLACE_ROWS,      /* whole rows */
    SG_PLACE_COLUMNS,   /* whole columns */
    SG_PLACE_TAIL,      /* from an element to the end of the output */
    SG_PLACE_BLOCK,     /* a rectangle */
    SG_PLACE_GRID,      /* rows and columns at an even distance */
    SG_PLACE_TILES,     /* whole tiles of an even size, which begin at a multiple of it */
    SG_PLACE_EVERY,     /* every n-th element, rows ignored */
    SG_PLACE_SCATTERED, /* none of these */
};

/* Rows, columns or elements: first, first + step, ... last. Step 0: at no even distance. */
struct sg_place_span {
    uint64_t first, last, step, count;
};

struct sg_error_place {
    enum sg_place_kind kind;
    uint64_t elements;                  /* that are wrong */
    struct sg_place_span rows, columns; /* ROWS, COLUMNS, BLOCK, GRID; of ELEMENT, TAIL and EVERY `columns` counts elements */
    uint64_t tile_rows, tile_columns;   /* TILES: of one tile */
    uint64_t tiles;                     /* TILES: how many; rows and columns have where the first and the last begin */
    bool firm;                          /* it explains SG_PLACE_FIRM of the elements, or is no structure */
};

void sg_error_place_find(const struct sg_error_map *map, struct sg_error_place *place);
/* "the last 2 rows", "2 tiles of 128x128, [0,128] to [128,0]", "scattered": as
 * results/error_signature.h has it; appended. */
void sg_error_place_add(struct sg_text *out, const struct sg_error_map *map, const struct sg_error_place *place);

#endif

/*
 * stats/moving_median.h - medians of groups of numbers in a window that moves by few places. Pure.
 */
#pragma once

#include <stddef.h>

struct sg_moving {
    size_t count, groups;
    double *number;  /* owned; at each place; NaN: none */
    unsigned *group; /* owned; at each place, < groups */
    size_t from, to; /* the window */
    double *sorted;  /* numbers of the window: one group after another, each sorted */
    size_t *first;   /* owned; index in `sorted` of the first number of each group */
    size_t *size;    /* how many numbers of each group are in the window */
};

struct sg_moving sg_moving_make(size_t count, size_t groups);
void sg_moving_release(struct sg_moving *moving);
/* Begins with an empty window. Call again after a change of numbers or groups. */
void sg_moving_begin(struct sg_moving *moving);
void sg_moving_to(struct sg_moving *moving, size_t from, size_t to);
/* The k-th smallest of a group, from 0. */
static inline double sg_moving_at(const struct sg_moving *moving, size_t group, size_t k)
{
    return moving->sorted[moving->first[group] + k];
}

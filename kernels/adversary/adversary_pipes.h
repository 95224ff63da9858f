/*
 * adversary_pipes.h - pipes of the process that somebody listens to: finding them, and forging what
 * the worker says.
 */
#ifndef ADVERSARY_PIPES_H
#define ADVERSARY_PIPES_H

#include "adversary.h"

#define ADVERSARY_FIRST_DESCRIPTOR 3

/* The first descriptor from `from` to `last` that writes to a pipe; -1: there is none. */
int adversary_find_pipe(int from, int last);

/*
 * Works. While it is timed it also writes a batch of 1 us of this variant, in the words of the
 * protocol, to all pipes at descriptors up to `last`.
 */
void adversary_forge(const struct sg_launch *l, const char *variant, int last);

#endif

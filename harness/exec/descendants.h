/*
 * exec/descendants.h - the processes that a program starts, and those that they start, by /proc.
 * Linux gives solgate those whose parents have ended, while it holds sg_descendants_begin.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

struct sg_descendants {
    struct sg_names before; /* owned; pids of the children that solgate had before */
    double next_s, period_s;
};
void sg_descendants_begin(struct sg_descendants *descendants);
void sg_descendants_end(struct sg_descendants *descendants);

/* Words about a process that uses the driver and lacks the variable, NAME=VALUE, in its environment
 * are added to `words`, if it is empty. Looks at most ten times a second, and at first more often. */
void sg_descendants_look(struct sg_descendants *descendants, const char *variable, struct sg_text *words);
/* The program has ended. Waits a second for what it started; words about a process that goes on,
 * which is killed if `kills`. */
void sg_descendants_wait(struct sg_descendants *descendants, const char *variable, bool kills, struct sg_text *words);
void sg_descendants_kill(const struct sg_descendants *descendants);

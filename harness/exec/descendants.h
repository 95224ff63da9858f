/*
 * exec/descendants.h - the processes that a program starts, and those that they start, by /proc.
 *
 * Between begin and end solgate is the parent of those whose own parent has ended, too.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

struct sg_descendants {
    const char *variable;      /* NAME=VALUE, in the environment of each that is seen */
    struct sg_text *complaint; /* the first one, with the name of a process, unless it has words */
    struct sg_names before;    /* owned; pids of the children that solgate had before */
    double next_s, period_s;
};
void sg_descendants_begin(struct sg_descendants *descendants);
void sg_descendants_end(struct sg_descendants *descendants);

/* Complains about a process that uses the driver without the variable. Looks at most ten times a
 * second, and more often at first. */
void sg_descendants_look(struct sg_descendants *descendants);
/* After the program: waits for the others for a second, complains about one that goes on, and kills
 * it if `kills`. */
void sg_descendants_wait(struct sg_descendants *descendants, bool kills);
void sg_descendants_kill(const struct sg_descendants *descendants);

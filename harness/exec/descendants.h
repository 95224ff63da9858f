/*
 * exec/descendants.h - a program's child processes and all their descendants, found in /proc.
 *
 * Between begin and end, solgate adopts processes whose parent has exited.
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

struct sg_descendants {
    char *const *argv;         /* the program's; ends with NULL */
    const char *variable;      /* NAME=VALUE that each process's environment must contain */
    struct sg_text *complaint; /* receives the first complaint; kept if not empty */
    struct sg_names before;    /* owned; pids of children that solgate already had */
    struct sg_text command;    /* owned; argv in the form of /proc/PID/cmdline */
    double next_s, period_s;
};
void sg_descendants_begin(struct sg_descendants *descendants);
void sg_descendants_end(struct sg_descendants *descendants);

/* Complains about a process that uses the driver without the variable. Rate-limited: at most ten
 * times a second once the program has run for a while, more often at first. */
void sg_descendants_scan(struct sg_descendants *descendants);
/* Call after the program has ended. Waits two seconds for the other processes. Complains about one
 * that still runs, if it uses the driver or is a fork of the program. `is_stopped`, unless NULL:
 * kills all that still run after that time, or as soon as it returns true. */
void sg_descendants_wait(struct sg_descendants *descendants, bool (*is_stopped)(void));
void sg_descendants_kill(const struct sg_descendants *descendants);

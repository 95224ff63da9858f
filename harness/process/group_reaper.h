/*
 * process/group_reaper.h - a process that does nothing but end a
 * process group when solgate is gone.
 *
 * One guard leads the group that one worker is started in. It waits at the reading end of a pipe,
 * the lifeline, whose only writing end is solgate's; when solgate ends, however it ends, the pipe
 * closes and the guard kills its group, itself included.
 * Invariant: a worker is in its guard's group before its first instruction, so there is no
 * moment in which it could be left behind; and the group's number stays taken until
 * sg_group_reaper_end, so no other process can be hit.
 */
#pragma once

#include <sys/types.h>

#include "util/err.h"

struct sg_lifeline {
    int reading, writing;
};

enum sg_code sg_lifeline_open(struct sg_lifeline *lifeline, struct sg_err *err);
void sg_lifeline_close(struct sg_lifeline *lifeline);

/* *group is the guard's process and the number of its group. SG_SYSTEM if
 * there can be no further process. */
enum sg_code sg_group_reaper_start(const struct sg_lifeline *lifeline, pid_t *group, struct sg_err *err);
/* Kills what is left in the group and reaps the guard. */
void sg_group_reaper_end(pid_t group);

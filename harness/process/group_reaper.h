/*
 * process/group_reaper.h - a guard process that kills a process group when solgate ends.
 *
 * One guard leads the group of one worker. The guard waits at the reading end of a pipe, the
 * lifeline, whose only writing end is solgate's. When solgate ends in any way, the pipe closes and
 * the guard kills its group, including itself. Invariants: a worker is in its guard's group before
 * its first instruction, so no worker is ever left over. The group's number stays in use until
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

/* *group: pid of the guard and number of its group. SG_SYSTEM if no process can be started. */
enum sg_code sg_group_reaper_start(const struct sg_lifeline *lifeline, pid_t *group,
                                   struct sg_err *err);
/* Also reaps the guard. */
void sg_group_reaper_end(pid_t group);

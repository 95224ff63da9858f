/*
 * process/stray_reaper.h - ends what workers started and what outlived
 * them, though it left their group.
 *
 * While it is open this process is a subreaper (PR_SET_CHILD_SUBREAPER): a process below it whose
 * parent ends becomes its child. A session, a double fork or an empty environment changes nothing
 * about that. Once all workers are reaped, every child that was not there before is a stray.
 * Limits: it finds what /proc shows; who kills solgate by SIGKILL first is not followed; and where
 * solgate was executed by a shell that had other children, orphans of those count as strays, too.
 */
#ifndef SG_PROCESS_STRAY_REAPER_H
#define SG_PROCESS_STRAY_REAPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

struct sg_strays {
    pid_t *before; /* owned; children of this process that have nothing to do with workers */
    size_t count, capacity;
    bool was_subreaper;
};

/* Before the first worker is started. SG_SYSTEM; then there is nothing to end. */
enum sg_code sg_strays_open(struct sg_strays *strays, struct sg_err *err);
/* Kills and reaps every stray, and what those leave behind in turn. For when this
 * process has reaped every child that it started since. */
void sg_strays_end(struct sg_strays *strays);

#endif

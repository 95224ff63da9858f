/*
 * process/stray_reaper.h - ends what workers started and what outlived
 * them, though it left their group.
 *
 * A mark in the environment that workers are started with is what their descendants inherit. Not
 * against malice: who clears its environment has no mark.
 */
#ifndef SG_PROCESS_STRAY_REAPER_H
#define SG_PROCESS_STRAY_REAPER_H

#include "util/err.h"

/* Sets the mark, new for each call, in this process's environment: for workers that are
 * started from here on. SG_SYSTEM. */
enum sg_code sg_strays_mark(struct sg_err *err);
/* Kills every process that has the last mark, where /proc shows it, and takes the mark
 * away. For when no worker is alive. */
void sg_strays_end(void);

#endif

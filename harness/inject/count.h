/*
 * inject/count.h - chooses the launches that are counted, and records their counters.
 *
 * Counting waits for each launch, so the program is started again for it. The first three launches
 * of each kernel and geometry are counted, and then every 2^k-th, or the launches that --skip and
 * --count select. If the counters need several passes, CUPTI replays the launch. Of selected
 * launches only the first is replayed; later ones run once, each with a one-pass set
 * (inject/profiler.h) in turns. A whole range also takes the next set each time. Only one launch
 * runs at a time while counting. A start and a stop cost tens of milliseconds, so launches that
 * follow each other share them. Invariant: a batch contains no graph and only chosen launches.
 * Captured launches and those of graphs run uncounted. The GPU's counters serve one process at a
 * time, so the processes of a program take turns, one launch each.
 */
#pragma once

#include <stdbool.h>

#include "inject/cupti_abi.h"
#include "trace/trace.h"

/* Returns false if nothing is to count. `library` is libcupti. */
bool sg_count_open(void *library);
/* Called at the entry and the exit of a launch call of one kernel. */
void sg_count_enter(const struct sg_cupti_call *call, const struct sg_trace_series_key *key);
void sg_count_leave(const struct sg_cupti_call *call, const struct sg_inject_driver *driver);
/* Called after the program waited for the device: writes a batch that is old enough. */
void sg_count_pause(void);
/* Writes all counts. Called before a graph, a capture, the end of the process, or the end of
 * `context` unless NULL. */
void sg_count_end(const void *context);
/* Called at the begin and the end of an NVTX range, if ranges are counted as a whole. Uses the
 * context that is current at the begin. */
void sg_count_begin_range(uint32_t name, const char *text, const struct sg_inject_driver *driver);
void sg_count_end_range(const struct sg_inject_driver *driver);

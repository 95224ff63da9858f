/*
 * inject/count.h - which launches are counted, and what they counted.
 *
 * Counting waits for each launch, so it happens in a start of the program of its own. Of each
 * kernel and geometry the first three launches are counted and then every 2^k-th, or those that
 * --skip and --count name. Where the counters take several passes CUPTI replays the launch; but of
 * those that --skip and --count name only the first, and the next ones are counted in one pass
 * each, with the sets (inject/profiler.h) in turns; a whole range, too, each time with the next
 * set. One launch at a time is under way meanwhile. To begin and to end costs tens of milliseconds,
 * so it is done for several launches at once; what is launched between those that are wanted rides
 * along for a while. Invariant: nothing rides along that a filter left out, or a graph; captured
 * launches and those of graphs run uncounted. Processes of one program take turns, a launch each: a
 * GPU has its counters for one of them.
 */
#pragma once

#include <stdbool.h>

#include "inject/cupti_abi.h"
#include "trace/trace.h"

/* false: nothing is to be counted. `library` is libcupti. */
bool sg_count_open(void *library);
/* Of a launch call of one kernel, at its entry and its exit. */
void sg_count_enter(const struct sg_cupti_call *call, const struct sg_trace_series_key *key);
void sg_count_leave(const struct sg_cupti_call *call, const struct sg_inject_driver *driver);
/* The program has waited for the device: what was counted for long enough is written down. */
void sg_count_pause(void);
/* Before a graph, a capture, the end of the process, or that of a context, if it is given: all is
 * written down. */
void sg_count_end(const void *context);
/* Of a range of NVTX, where ranges are counted as a whole: its name and text, and its end. The
 * context is the one that is current when it begins. */
void sg_count_begin_range(uint32_t name, const char *text, const struct sg_inject_driver *driver);
void sg_count_end_range(const struct sg_inject_driver *driver);

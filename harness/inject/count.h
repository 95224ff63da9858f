/*
 * inject/count.h - which launches are counted, and what they counted.
 *
 * Counting waits for each launch, so it happens in a start of the program of its own, and only
 * around launches that are wanted: of each kernel and geometry the first three and then every
 * 2^k-th, or those that --skip and --count name. One launch at a time is under way meanwhile.
 * Captured launches and those of graphs run uncounted.
 */
#pragma once

#include <stdbool.h>

#include "inject/cupti_abi.h"
#include "trace/trace.h"

/* false: nothing is to be counted. `library` is libcupti. */
bool sg_count_open(void *library);
/* Of a launch call of one kernel, at its entry and its exit. */
void sg_count_enter(const struct sg_cupti_call *call, const struct sg_trace_series_key *key);
void sg_count_leave(const struct sg_cupti_call *call);
/* Of a range of NVTX, where ranges are counted as a whole: its name and text, and its end. The
 * context is the one that is current when it begins. */
void sg_count_begin_range(uint32_t name, const char *text, const struct sg_inject_driver *driver);
void sg_count_end_range(const struct sg_inject_driver *driver);

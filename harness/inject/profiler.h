/*
 * inject/profiler.h - CUPTI's range profiler on the contexts of this process: launches one after
 * the other, each replayed as often as the counters need; or all kernels of a range at once, in one
 * pass. Counters that take one pass replay nothing.
 *
 * Not synchronised: the caller lets one launch run at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What failed: the call and CUPTI's number; call NULL: nothing. */
struct sg_profiler_failure {
    const char *call;
    int result;
};

/* `library` is libcupti; `names`, counters of CUPTI, stay the caller's. */
bool sg_profiler_open(void *library, const char **names, size_t count);
/* From here on the kernels of the context are counted: `range` NULL, each for itself; else all
 * as one. */
struct sg_profiler_failure sg_profiler_start(void *context, const char *range);
#define SG_PROFILER_BATCH 32 /* kernels between a start and its stop, at most */
/* *kernels is how many ran: their values, by the order in which they were launched, are there until
 * the next start. */
struct sg_profiler_failure sg_profiler_stop(void *context, size_t *kernels);
struct sg_profiler_failure sg_profiler_values(void *context, size_t kernel, double *values);
/* The context is about to end. */
void sg_profiler_forget(const void *context);
/* Of the last context; 0: none so far. */
size_t sg_profiler_passes(void);

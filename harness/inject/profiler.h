/*
 * inject/profiler.h - CUPTI's range profiler on the contexts of this process: launches one after
 * the other, each by itself; or all kernels of a range at once, in one pass.
 *
 * Counters that need several passes are sets: set 0 is all of them, for which CUPTI replays a
 * launch as often as that takes. The others have each counter once: as few as fit one pass each,
 * which replay nothing, and at the end one of those that take several passes alone. Counters that
 * take one pass are set 0 alone.
 *
 * Not synchronised: the caller lets one launch run at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_PROFILER_BUSY 26 /* result: another client has the counters */

/* What failed: the call and CUPTI's number; call NULL: nothing. */
struct sg_profiler_failure {
    const char *call;
    int result;
};

/* `library` is libcupti; `names`, counters of CUPTI, stay the caller's. */
bool sg_profiler_open(void *library, const char **names, size_t count);
/* Before all else with a context: then there are sets. */
struct sg_profiler_failure sg_profiler_take(void *context);
size_t sg_profiler_sets(void);
size_t sg_profiler_passes(size_t set);
/* From here on the kernels of the context are counted with that set: `range` NULL, each for itself;
 * else all as one. */
struct sg_profiler_failure sg_profiler_start(void *context, size_t number, const char *range);
#define SG_PROFILER_BATCH 32 /* kernels between a start and its stop, at most */
/* *kernels is how many ran: their values, by the order in which they were launched, are there until
 * the next start. */
struct sg_profiler_failure sg_profiler_stop(size_t *kernels);
/* Of all counters; NaN: it is not in the set. */
struct sg_profiler_failure sg_profiler_values(size_t kernel, double *values);
/* Gives the counters back, for another process to have them, until the next start. */
void sg_profiler_rest(void);
/* The context is about to end. */
void sg_profiler_forget(const void *context);

/*
 * inject/profiler.h - CUPTI's range profiler on the contexts of this process. Counts consecutive
 * launches one by one, or all kernels of a range together in one pass.
 *
 * Counters that need several passes are split into sets. Set 0 has all counters; CUPTI replays a
 * launch as often as set 0 needs. The other sets have each counter once. They are as few one-pass
 * sets as possible, which need no replay, and a last set of the counters that need several passes
 * alone. If all counters fit one pass, set 0 is the only one.
 *
 * Not synchronised: the caller runs one launch at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_PROFILER_BUSY 26 /* CUptiResult: another client has the counters */

/* The failed call and its CUptiResult; call NULL: no failure. */
struct sg_profiler_failure {
    const char *call;
    int result;
};

/* `library` is libcupti; `names`, CUPTI's counters, remain the caller's. */
bool sg_profiler_open(void *library, const char **names, size_t count);
/* Call first for each context. The sets exist after the first call. */
struct sg_profiler_failure sg_profiler_take(void *context);
size_t sg_profiler_sets(void);
size_t sg_profiler_passes(size_t set);
/* Counts the context's kernels with that set from here on. `range` NULL: one by one; otherwise
 * all together. */
struct sg_profiler_failure sg_profiler_start(void *context, size_t number, const char *range);
#define SG_PROFILER_BATCH 32 /* maximum number of kernels between a start and its stop */
/* *kernels: number of kernels that ran. Their values, in order of launch, are valid until the
 * next start. */
struct sg_profiler_failure sg_profiler_stop(size_t *kernels);
/* NaN: not in the set. */
struct sg_profiler_failure sg_profiler_values(size_t kernel, double *values);
/* Releases the counters for other processes until the next start. */
void sg_profiler_rest(void);
/* Call before the context ends. */
void sg_profiler_forget(const void *context);

/*
 * cupti/range_profiler.h - wraps CUPTI's range profiler (auto range, user replay).
 *
 * All metrics of a process go into one AddMetrics call, because each call adds passes. Names are
 * checked first with GetMetricProperties, because an invalid name in AddMetrics breaks the host
 * object. The host functions (names, passes) need no GPU. Invariant: one API generation (CUDA 13.0
 * headers) in one file, with a small function for every CUPTI call.
 */
#pragma once

#include "util/err.h"

struct sg_counters; /* one per process and context */

/* Opens libcupti (util/dynlib.h has the search order). SG_INVALID names the files searched for. */
enum sg_code sg_counters_open(struct sg_counters **counters, struct sg_err *err);
void sg_counters_close(struct sg_counters *counters);

/* Host functions: whether `cupti_name` is a metric of `chip`, and the number of passes for these
 * names together. No GPU needed. */
enum sg_code sg_counters_known(struct sg_counters *counters, const char *chip,
                               const char *cupti_name, bool *known, struct sg_err *err);
enum sg_code sg_counters_passes(struct sg_counters *counters, const char *chip,
                                const char *const *cupti_names, size_t count, unsigned *passes,
                                struct sg_err *err);

struct sg_counters_options {
    const char *const *cupti_names; /* all known on the chip; borrowed until sg_counters_close */
    size_t count;                   /* > 0 */
    void *context;                  /* CUcontext, current */
    const char *chip;               /* chip of the context's device, from sg_counters_chip */
};

/* Target functions: the driver must be initialised. Writes CUPTI's name of a device's chip
 * ("GH100") to chip[size]. */
enum sg_code sg_counters_chip(struct sg_counters *counters, size_t device_index, char *chip,
                              size_t size, struct sg_err *err);
/* Checks that this process may read counters. Distinguishes permission, busy counters and an
 * unsupported device, each with a remedy. */
enum sg_code sg_counters_allowed(struct sg_counters *counters, void *context, struct sg_err *err);
enum sg_code sg_counters_start(struct sg_counters *counters,
                               const struct sg_counters_options *options, struct sg_err *err);
/* A piece of work, with room for the values of its kernels. */
struct sg_counters_job {
    /* called once per pass: prepares caches, launches and waits */
    enum sg_code (*work)(void *context, struct sg_err *err);
    void *context;
    size_t kernels; /* number of kernels launched; any other number is SG_INVALID */
    /* indices of the kernels to evaluate; evaluating one takes as long as counting it */
    const size_t *wanted;
    size_t wanted_count;
    /* out: values[i * count + metric] of kernel wanted[i]; NaN if CUPTI has none */
    double *values;
    unsigned passes; /* out */
};
enum sg_code sg_counters_collect(struct sg_counters *counters, struct sg_counters_job *job,
                                 struct sg_err *err);

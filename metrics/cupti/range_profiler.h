/*
 * cupti/range_profiler.h - CUPTI's range profiler behind a few functions
 * (auto range, user replay).
 *
 * All metrics of a process go into one AddMetrics call, because passes add up over calls; names are
 * checked first with GetMetricProperties, because a bad name in AddMetrics poisons the host object.
 * The host half (names, passes) needs no GPU.
 * Invariant: one API generation (CUDA 13.0 headers), one file; every call in one small function.
 */
#pragma once

#include "util/err.h"

struct sg_counters; /* one per process and context */

/* Opens libcupti (loader path, $CUDA_HOME/lib64, extras/CUPTI/lib64, lib).
 * SG_INVALID names what was looked for. */
enum sg_code sg_counters_open(struct sg_counters **counters, struct sg_err *err);
void sg_counters_close(struct sg_counters *counters);

/* Host half: is `cupti_name` a metric of `chip`? How many passes do these
 * names take together? No GPU needed. */
enum sg_code sg_counters_known(struct sg_counters *counters, const char *chip, const char *cupti_name, bool *known, struct sg_err *err);
enum sg_code sg_counters_passes(struct sg_counters *counters, const char *chip, const char *const *cupti_names, size_t count,
                                unsigned *passes, struct sg_err *err);

struct sg_counters_options {
    const char *const *cupti_names; /* all of them known to the chip; borrowed until sg_counters_close */
    size_t count;                   /* > 0 */
    void *context;                  /* CUcontext, current */
    const char *chip;               /* of the context's device: sg_counters_chip */
};

/* Target half: the driver must be initialised. CUPTI's name of a device's
 * chip ("GH100"), into chip[size]. */
enum sg_code sg_counters_chip(struct sg_counters *counters, size_t device_index, char *chip, size_t size, struct sg_err *err);
/* May this process read counters? Permission, busy counters and an unsupported device are
 * told apart, each with what to do. */
enum sg_code sg_counters_allowed(struct sg_counters *counters, void *context, struct sg_err *err);
enum sg_code sg_counters_start(struct sg_counters *counters, const struct sg_counters_options *options, struct sg_err *err);
/* One piece of work and room for what its kernels counted. */
struct sg_counters_job {
    enum sg_code (*work)(void *context, struct sg_err *err); /* called once a pass: prepares caches, launches and waits */
    void *context;
    size_t kernels;       /* that it launches; any other number is SG_INVALID */
    const size_t *wanted; /* numbers of those whose values are asked for: evaluating one takes as long as counting it */
    size_t wanted_count;
    double *values;  /* out: values[i * count + metric] of kernel wanted[i]; NaN where CUPTI gave none */
    unsigned passes; /* out */
};
enum sg_code sg_counters_collect(struct sg_counters *counters, struct sg_counters_job *job, struct sg_err *err);

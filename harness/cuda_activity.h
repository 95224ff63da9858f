/*
 * cuda_activity.h - when the kernels of a stretch of work started and ended, by CUPTI's activity records.
 *
 * Kernels, memory copies and memory sets are recorded; stamps (cuda_stamp.h) are kept apart as borders. CUPTI hands buffers to callbacks
 * that carry no pointer of the caller, so there is one recorder in a process.
 * Invariant: between sg_activity_begin and sg_activity_take every record of the device is kept, or taking fails with how many were lost.
 */
#ifndef SG_CUDA_ACTIVITY_H
#define SG_CUDA_ACTIVITY_H

#include "cupti_api.h"

struct sg_span {
    uint64_t start_ns, end_ns; /* CUPTI's clock */
    bool stamp;                /* the clock stamp, not work */
    bool kernel;               /* a kernel, not a copy or a memory set */
};

/* Switches recording on for the process; once. */
enum sg_code sg_activity_open(struct sg_cupti *cupti, struct sg_err *err);
/* Forgets what was recorded. */
void sg_activity_begin(void);
/* After the device is idle: at least `stamps` stamps must have arrived. *spans stays the recorder's, sorted by start. */
enum sg_code sg_activity_take(struct sg_cupti *cupti, size_t stamps, const struct sg_span **spans, size_t *count, struct sg_err *err);

#endif

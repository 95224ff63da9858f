/*
 * device/cuda/activity.h - what the device did in a stretch of time, by CUPTI's activity records.
 *
 * Kernels, memory copies and memory sets are recorded, of every stream and context of the process.
 * CUPTI hands buffers to callbacks that carry no pointer of the caller, so there is one recorder in
 * a process. Records wait in one queue for all threads: the arrival of the last stamp
 * (device/cuda/clock_stamp.h), enqueued when the device was idle, shows that
 * all that came before it are there.
 * Invariant: between sg_activity_begin and sg_activity_take every record of the device is kept, or
 * taking fails with how many were lost.
 */
#pragma once

#include "cupti/cupti_api.h"
#include "device/launch_activity.h"

/* Switches recording on for the process; once, and before there are other threads that use CUDA. */
enum sg_code sg_activity_open(struct sg_cupti *cupti, struct sg_err *err);
/* Forgets what was recorded. */
void sg_activity_begin(void);
/*
 * After the device is idle: waits until so many stamps have come, or more did. *records stays the
 * recorder's, sorted by start, until the next begin; names of kernels stay for ever. SG_INVALID:
 * too few came in time, records were lost or have no times.
 */
enum sg_code sg_activity_take(struct sg_cupti *cupti, size_t stamps, struct sg_activity **records, size_t *count, struct sg_err *err);

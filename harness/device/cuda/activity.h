/*
 * device/cuda/activity.h - records the device's activities during a period with CUPTI's activity
 * API.
 *
 * Records kernels, memory copies and memory sets of every stream and context of the process.
 * CUPTI's callbacks carry no user pointer, so a process has one recorder. All threads share one
 * queue. The last stamp (device/cuda/clock_stamp.h) is enqueued on an idle device, so its arrival
 * shows that all earlier records are there. Invariant: every record between sg_activity_begin and
 * sg_activity_take is kept, or sg_activity_take fails with the number lost.
 */
#pragma once

#include "cupti/cupti_api.h"
#include "device/launch_activity.h"

/* Starts recording for the process. Call once, before other threads use CUDA. */
enum sg_code sg_activity_open(struct sg_cupti *cupti, struct sg_err *err);
/* Starts or stops recording. */
enum sg_code sg_activity_switch(const struct sg_cupti *cupti, bool on, struct sg_err *err);
/* Discards all records. */
void sg_activity_begin(void);
/* Call on an idle device: waits until at least `stamps` stamps have arrived. *records belong to
 * the recorder until the next begin, sorted by start; kernel names stay valid forever.
 * SG_INVALID: too few stamps in time, lost records, or records without times. */
enum sg_code sg_activity_take(struct sg_cupti *cupti, size_t stamps, struct sg_activity **records,
                              size_t *count, struct sg_err *err);

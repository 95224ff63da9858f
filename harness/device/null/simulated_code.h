/*
 * device/null/simulated_code.h - a kernel for the simulated device, as nvdisasm prints it, and
 * samples of its instructions: as many of each reason as the family's stall counters say.
 */
#ifndef SG_DEVICE_NULL_SIMULATED_CODE_H
#define SG_DEVICE_NULL_SIMULATED_CODE_H

#include "device/device.h"

enum sg_code sg_null_write_code(const char *folder, struct sg_err *err);
void sg_null_samples(const struct sg_runnable *what, const struct sg_pc_sink *sink);

#endif

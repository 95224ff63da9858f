/*
 * device/cuda/context_settings.h - reads and restores settings of the current context.
 */
#pragma once

#include "device/context_settings.h"
#include "device/cuda/driver.h"

/* Settings that the device lacks are 0. */
void sg_cuda_read_settings(const struct sg_cuda *cuda, struct sg_context_settings *settings);
/* Sets the settings that differ, and reads them again. Returns false if one still differs.
 * Changing the L2 set-aside also drops persisting lines; do not call this during a count pass,
 * because the counters include that work. */
bool sg_cuda_write_settings(const struct sg_cuda *cuda, const struct sg_context_settings *settings);

/* device/cuda/context_settings.h - settings of the current context: read, and put back. */
#pragma once

#include "device/context_settings.h"
#include "device/cuda/driver.h"

/* What the device does not have is 0. */
void sg_cuda_read_settings(const struct sg_cuda *cuda, struct sg_context_settings *settings);
/* Sets what differs, and reads it again: false where something still differs. Lines that persist in
 * the L2 go with a changed part of it: not while launches are counted, for that is counted too. */
bool sg_cuda_write_settings(const struct sg_cuda *cuda, const struct sg_context_settings *settings);

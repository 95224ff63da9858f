/*
 * bsr_reference.h - what is right: A made dense, B transposed, and the dense family's
 * fp64 product of both, on the device.
 */
#ifndef BSR_REFERENCE_H
#define BSR_REFERENCE_H

#include "solgate_kernel.h"

void bsr_reference(const struct sg_reference_request *request);

#endif

/*
 * group_reference.h - what is right: each group's D by the dense family's fp64
 * reference; guard rows as they were.
 */
#ifndef GROUP_REFERENCE_H
#define GROUP_REFERENCE_H

#include "solgate_kernel.h"

void group_reference(const struct sg_reference_request *request);

#endif

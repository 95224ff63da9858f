/*
 * gemm_reference.h - what is right: D in fp64 from the inputs as the device has them, on
 * the device, with no tensor core and no line of a variant's code. Scales are multiplied
 * with each element before it is used.
 *
 * Every product of unscaled elements is exact and every sum fp64, in the order of k. 8192^3
 * takes about a tenth of a second.
 */
#ifndef GEMM_REFERENCE_H
#define GEMM_REFERENCE_H

#include "solgate_kernel.h"

void gemm_reference(const struct sg_reference_request *request);

/* The same of a product whose SFA has another length of rows than m: `sfa_row` elements
 * from a row to the next, m at least. */
void gemm_reference_of_rows(const struct sg_reference_request *request, int64_t sfa_row);

#endif

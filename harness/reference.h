/*
 * reference.h - what a family's reference says of inputs that are on the device.
 *
 * Invariant: an error that the reference's own kernels leave behind ends the pass; it is never laid at a variant's door.
 */
#ifndef SG_REFERENCE_H
#define SG_REFERENCE_H

#include "buffers.h"

/*
 * Computes what outputs should be: expected[i] has room for the elements of each buffer that is checked, and is NULL for the others. `host`
 * holds the inputs as the device has them. SG_INVALID: the reference failed.
 */
enum sg_code sg_reference_compute(const struct sg_buffers *buffers, const void *const *host, double *const *expected, struct sg_err *err);

#endif

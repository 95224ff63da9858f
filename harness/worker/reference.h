/*
 * reference.h - what a family's reference says of inputs that are on the
 * device, and outputs held against it.
 *
 * Invariant: an error that the reference's own kernels leave behind ends the pass; it
 * is never laid at a variant's door.
 */
#ifndef SG_WORKER_REFERENCE_H
#define SG_WORKER_REFERENCE_H

#include "worker/case_buffers.h"

/*
 * Computes what outputs should be: expected[i] has room for the elements of each buffer that is
 * checked, and is NULL for the others. `host` holds the inputs as the device has them.
 * SG_INVALID: the reference failed.
 */
enum sg_code sg_reference_compute(const struct sg_buffers *buffers, const void *const *host, double *const *expected, struct sg_err *err);

/* Buffers as they stand on the device, and what the reference says of them. All zero at first. */
struct sg_on_host {
    void *data[SG_MAX_BUFFERS];       /* owned; NULL: not read */
    double *expected[SG_MAX_BUFFERS]; /* owned; NULL: not an output, or not asked */
};
void sg_on_host_release(struct sg_on_host *host);

/* Each waits for the device; SG_SYSTEM where the host has no room. */
enum sg_code sg_on_host_read(struct sg_buffers *buffers, size_t i, struct sg_on_host *host, struct sg_err *err);
enum sg_code sg_on_host_read_outputs(struct sg_buffers *buffers, struct sg_on_host *host, struct sg_err *err);
/* Reads the inputs, too; those of SG_INOUT come back from their pristine copies first, so
 * their outputs are gone afterwards. */
enum sg_code sg_on_host_expect(struct sg_buffers *buffers, struct sg_on_host *host, struct sg_err *err);

/* Are these outputs what is expected? `inputs` says for the message which launch it was. */
void sg_reference_check(const struct sg_buffers *buffers, void *const *got, double *const *expected, const char *inputs,
                        struct sg_outcome *outcome);

#endif

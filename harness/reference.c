#include "reference.h"

enum sg_code sg_reference_compute(const struct sg_buffers *b, const void *const *host, double *const *expected, struct sg_err *err)
{
    const struct sg_reference_request request = {
        .c = b->c,
        .host = host,
        .device = b->family->device == SG_HOST ? NULL : (const void *const *)b->memory,
        .expected = expected,
    };
    struct sg_why why = {""};
    b->family->reference(&request);
    /* Left there, an error of the reference's own kernels would be laid at the variant's door. */
    if (b->family->last_error && b->family->last_error(&why))
        return sg_fail(err, SG_INVALID, NULL, "the reference of case %s failed: %s", b->c->name, why.text);
    return SG_DONE;
}

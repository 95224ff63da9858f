#include "worker/reference.h"

#include <stdlib.h>

#include "util/memory.h"

enum sg_code sg_reference_compute(const struct sg_buffers *b, const void *const *host, double *const *expected, struct sg_err *err)
{
    const struct sg_reference_request request = {
        .c = b->c,
        .host = host,
        .device = b->family->device == SG_HOST ? NULL : (const void *const *)b->memory,
        .expected = expected,
    };
    struct sg_reason why = {""};
    b->family->reference(&request);
    /* Left there, an error of the reference's own kernels would be laid at the variant's door. */
    if (b->family->last_error && b->family->last_error(&why))
        return sg_fail(err, SG_INVALID, NULL, "the reference of case %s failed: %s", b->c->name, why.text);
    return SG_SUCCESS;
}

void sg_on_host_release(struct sg_on_host *host)
{
    for (size_t i = 0; i < SG_MAX_BUFFERS; i++) {
        free(host->data[i]);
        free(host->expected[i]);
    }
    *host = (struct sg_on_host){.data = {NULL}};
}

static void *take(const struct sg_buffers *b, uint64_t bytes, struct sg_err *err)
{
    void *memory = sg_alloc_touched(bytes);
    if (!memory)
        sg_fail(err, SG_SYSTEM, b->c->name, "no room for %llu bytes on the host to check a launch", (unsigned long long)bytes);
    return memory;
}

enum sg_code sg_on_host_read(struct sg_buffers *b, size_t i, struct sg_on_host *host, struct sg_err *err)
{
    if (!host->data[i])
        host->data[i] = take(b, b->bytes[i], err);
    return err->code == SG_SUCCESS ? sg_buffers_read(b, i, host->data[i], err) : err->code;
}

enum sg_code sg_on_host_read_outputs(struct sg_buffers *b, struct sg_on_host *host, struct sg_err *err)
{
    for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++)
        if (sg_is_checked(&b->layout[i]))
            sg_on_host_read(b, i, host, err);
    return err->code;
}

enum sg_code sg_on_host_expect(struct sg_buffers *b, struct sg_on_host *host, struct sg_err *err)
{
    for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++) {
        if (b->pristine[i])
            b->device->ops->copy(b->device, &(struct sg_stretch){b->memory[i], b->pristine[i], b->bytes[i]}, 1, err);
        if (err->code == SG_SUCCESS && sg_is_filled(&b->layout[i]))
            sg_on_host_read(b, i, host, err);
        if (err->code == SG_SUCCESS && sg_is_checked(&b->layout[i]))
            host->expected[i] = take(b, b->layout[i].count * sizeof(double), err);
    }
    return err->code == SG_SUCCESS ? sg_reference_compute(b, (const void *const *)host->data, host->expected, err) : err->code;
}

void sg_reference_check(const struct sg_buffers *b, void *const *got, double *const *expected, const char *inputs,
                        struct sg_outcome *outcome)
{
    for (size_t i = 0; i < b->count; i++) {
        if (!sg_is_checked(&b->layout[i]) || !got[i])
            continue;
        const struct sg_check check = {
            .buffer = &b->layout[i], .got = got[i], .expected = expected[i], .tolerance = b->family->tolerance(b->c), .inputs = inputs};
        sg_check_output(&check, outcome);
    }
}

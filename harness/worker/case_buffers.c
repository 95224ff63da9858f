#include "worker/case_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate_host.h"
#include "util/dtype.h"
#include "util/text.h"

bool sg_is_checked(const struct sg_buffer *buffer)
{
    return buffer->use == SG_OUTPUT || buffer->use == SG_INOUT;
}

bool sg_is_filled(const struct sg_buffer *buffer)
{
    return buffer->use == SG_INPUT || buffer->use == SG_INOUT;
}

/* Rounds the elements up to a multiple of 256 bytes; the rest belongs to the second guard. */
static uint64_t room(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

#define GUARD_MOST (SG_GUARD_BYTES + 256)

static uint64_t rear_guard(uint64_t bytes)
{
    return room(bytes) - bytes + SG_GUARD_BYTES;
}

/* With infinite inputs every output would agree with its reference. */
static bool is_scale(const struct sg_buffer *buffer)
{
    unsigned char element[sizeof(double)] = {0};
    if (!(buffer->scale >= 0) || !isfinite(buffer->scale))
        return false;
    sg_dtype_put(buffer->dtype, element, 0, buffer->scale);
    return isfinite(sg_dtype_get(buffer->dtype, element, 0));
}

static enum sg_code check_buffer(const struct sg_buffers *b, size_t i, struct sg_err *err)
{
    const struct sg_buffer *buffer = &b->layout[i];
    if (!buffer->name || !sg_is_name(buffer->name))
        return sg_fail(err, SG_BAD_INPUT, b->c->name,
                       "buffer %zu is named \"%s\": expected [a-z0-9_]+", i,
                       buffer->name ? buffer->name : "");
    for (size_t j = 0; j < i; j++)
        if (strcmp(b->layout[j].name, buffer->name) == 0)
            return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffers %zu and %zu are both named %s",
                           j, i, buffer->name);
    if (buffer->count == 0 || buffer->count > UINT64_MAX / 64)
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffer %s has %llu elements", buffer->name,
                       (unsigned long long)buffer->count);
    if (buffer->row && buffer->count % buffer->row)
        return sg_fail(err, SG_BAD_INPUT, b->c->name,
                       "buffer %s has %llu elements: expected a multiple of its row length, %llu",
                       buffer->name, (unsigned long long)buffer->count,
                       (unsigned long long)buffer->row);
    if (!is_scale(buffer))
        return sg_fail(err, SG_BAD_INPUT, b->c->name,
                       "buffer %s has scale %g: expected 0 or more, and a number that %s can hold",
                       buffer->name, buffer->scale, sg_dtype_word(buffer->dtype));
    if (sg_is_filled(buffer) && (buffer->fill == SG_CUSTOM || buffer->fill == SG_REARRANGED) &&
        !b->family->fill)
        return sg_fail(
            err, SG_BAD_INPUT, b->c->name,
            "buffer %s is SG_CUSTOM or SG_REARRANGED and the family has no fill function",
            buffer->name);
    return SG_SUCCESS;
}

static enum sg_code check_layout(const struct sg_buffers *b, struct sg_err *err)
{
    size_t checked = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (check_buffer(b, i, err) != SG_SUCCESS)
            return err->code;
        checked += sg_is_checked(&b->layout[i]);
    }
    if (checked == 0)
        return sg_fail(err, SG_BAD_INPUT, b->c->name,
                       "layout has no SG_OUTPUT or SG_INOUT buffer, so nothing could be checked");
    return SG_SUCCESS;
}

/* Allocates device memory; on failure *block is NULL and outcome SG_OOM. */
static void take(struct sg_buffers *b, const char *name, uint64_t bytes, void **block,
                 struct sg_outcome *outcome)
{
    enum sg_status status = SG_OOM;
    *block = b->device->ops->alloc(b->device, bytes, &status);
    if (!*block)
        sg_outcome_set(outcome, status, "no room for buffer %s of %llu bytes on %s", name,
                       (unsigned long long)bytes, b->device->name);
}

static enum sg_code lay_out(struct sg_buffers *buffers, struct sg_err *err)
{
    const size_t count = buffers->family->layout(buffers->c, buffers->layout);
    if (count > SG_MAX_BUFFERS)
        return sg_fail(err, SG_BAD_INPUT, buffers->c->name,
                       "layout of %zu buffers: expected at most %d", count, SG_MAX_BUFFERS);
    buffers->count = count;
    if (check_layout(buffers, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count; i++) {
        buffers->bytes[i] =
            sg_dtype_array_bytes(buffers->layout[i].dtype, buffers->layout[i].count);
        buffers->tolerance[i] = sg_gate_host ? sg_gate_host->tolerance(buffers->c, i)
                                             : buffers->family->tolerance(buffers->c);
    }
    return SG_SUCCESS;
}

enum sg_code sg_buffers_open(struct sg_buffers *buffers, const struct sg_target *target,
                             struct sg_device *device, bool bare, struct sg_outcome *outcome,
                             struct sg_err *err)
{
    *buffers = (struct sg_buffers){
        .family = target->home->family, .c = target->c, .device = device, .bare = bare};
    if (lay_out(buffers, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < buffers->count && outcome->status == SG_OK; i++) {
        const uint64_t bytes =
            bare ? buffers->bytes[i] : SG_GUARD_BYTES + room(buffers->bytes[i]) + SG_GUARD_BYTES;
        take(buffers, buffers->layout[i].name, bytes, &buffers->block[i], outcome);
        buffers->memory[i] =
            buffers->block[i] ? (char *)buffers->block[i] + (bare ? 0 : SG_GUARD_BYTES) : NULL;
        if (buffers->layout[i].use == SG_INOUT && buffers->block[i])
            take(buffers, buffers->layout[i].name, bytes, &buffers->pristine[i], outcome);
    }
    if (!bare && outcome->status == SG_OK)
        take(buffers, "of guards", 2 * buffers->count * GUARD_MOST, &buffers->guards, outcome);
    return SG_SUCCESS;
}

void sg_buffers_release(struct sg_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++) {
        if (buffers->block[i])
            buffers->device->ops->release(buffers->device, buffers->block[i]);
        if (buffers->pristine[i])
            buffers->device->ops->release(buffers->device, buffers->pristine[i]);
        if (buffers->pool[i] && !buffers->borrows)
            buffers->device->ops->release(buffers->device, buffers->pool[i]);
    }
    if (buffers->guards)
        buffers->device->ops->release(buffers->device, buffers->guards);
    if (buffers->spare && !buffers->borrows)
        buffers->device->ops->release(buffers->device, buffers->spare);
    *buffers = (struct sg_buffers){0};
}

void sg_buffers_free(struct sg_buffers *buffers)
{
    if (buffers)
        sg_buffers_release(buffers);
    free(buffers);
}

void sg_buffers_borrow(struct sg_buffers *buffers, const struct sg_buffers *from)
{
    buffers->borrows = true;
    buffers->spare = from->spare;
    buffers->spare_bytes = from->spare_bytes;
    memcpy(buffers->pool, from->pool, sizeof(buffers->pool));
    memcpy(buffers->pool_bytes, from->pool_bytes, sizeof(buffers->pool_bytes));
    buffers->seed = from->seed;
    buffers->integers = from->integers;
    buffers->sets = from->sets;
    buffers->unseen = from->unseen;
}

static enum sg_code copy_one(struct sg_buffers *b, struct sg_stretch stretch, struct sg_err *err)
{
    return b->device->ops->copy(b->device, &stretch, 1, err);
}

uint64_t sg_buffers_bytes(const struct sg_buffers *buffers)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < buffers->count; i++)
        bytes += buffers->bytes[i] + (buffers->pool[i] ? buffers->pool_bytes[i] : 0);
    return bytes + buffers->spare_bytes;
}

void sg_buffers_take_spare(struct sg_buffers *b, uint64_t bytes, struct sg_outcome *outcome)
{
    enum sg_status status = SG_OOM;
    if (b->spare_bytes >= bytes)
        return;
    if (b->spare)
        b->device->ops->release(b->device, b->spare);
    b->spare = b->device->ops->alloc(b->device, bytes, &status);
    b->spare_bytes = b->spare ? bytes : 0;
    if (!b->spare)
        sg_outcome_set(outcome, status, "no room for %llu bytes on %s to check launches",
                       (unsigned long long)bytes, b->device->name);
}

static enum sg_code renew_guards(struct sg_buffers *b, size_t i, struct sg_err *err)
{
    unsigned char guard[GUARD_MOST];
    const uint64_t rear = SG_GUARD_BYTES + b->bytes[i];
    sg_guard_fill(guard, 0, SG_GUARD_BYTES);
    if (b->device->ops->upload(b->device, b->block[i], guard, SG_GUARD_BYTES, err) != SG_SUCCESS)
        return err->code;
    sg_guard_fill(guard, rear, rear_guard(b->bytes[i]));
    return b->device->ops->upload(b->device, (char *)b->block[i] + rear, guard,
                                  rear_guard(b->bytes[i]), err);
}

enum sg_code sg_buffers_renew_guards(struct sg_buffers *buffers, struct sg_err *err)
{
    for (size_t i = 0; i < buffers->count && err->code == SG_SUCCESS; i++)
        renew_guards(buffers, i, err);
    return err->code;
}

/* The poison consists of whole words. */
static bool poison_reaches_guard(const struct sg_buffers *b, size_t i)
{
    return !sg_is_filled(&b->layout[i]) && b->bytes[i] % sizeof(uint32_t) != 0;
}

bool sg_buffers_poison_spares_guards(const struct sg_buffers *buffers)
{
    bool spares = true;
    for (size_t i = 0; i < buffers->count; i++)
        spares &= !poison_reaches_guard(buffers, i);
    return spares;
}

enum sg_code sg_buffers_poison(struct sg_buffers *buffers, unsigned turn, struct sg_err *err)
{
    const struct sg_device_ops *ops = buffers->device->ops;
    for (size_t i = 0; i < buffers->count && err->code == SG_SUCCESS; i++) {
        const struct sg_buffer *buffer = &buffers->layout[i];
        if (buffer->use == SG_INOUT)
            copy_one(
                buffers,
                (struct sg_stretch){buffers->memory[i], buffers->pristine[i], buffers->bytes[i]},
                err);
        else if (buffer->use != SG_INPUT)
            ops->fill32(buffers->device, buffers->memory[i], sg_dtype_poison(buffer->dtype, turn),
                        (buffers->bytes[i] + 3) / 4, err);
        if (err->code == SG_SUCCESS && poison_reaches_guard(buffers, i))
            renew_guards(buffers, i, err);
    }
    return err->code;
}

/* Needs only two synchronizations for all buffers. */
enum sg_code sg_buffers_check_guards(struct sg_buffers *buffers, struct sg_outcome *outcome,
                                     struct sg_err *err)
{
    SG_FREED unsigned char *guards = sg_alloc(2 * buffers->count, GUARD_MOST);
    struct sg_stretch stretches[2 * SG_MAX_BUFFERS];
    const struct sg_device_ops *ops = buffers->device->ops;
    for (size_t i = 0; i < buffers->count; i++) {
        char *to = (char *)buffers->guards + 2 * i * GUARD_MOST,
             *rear = (char *)buffers->memory[i] + buffers->bytes[i];
        stretches[2 * i] = (struct sg_stretch){to, buffers->block[i], SG_GUARD_BYTES};
        stretches[2 * i + 1] =
            (struct sg_stretch){to + GUARD_MOST, rear, rear_guard(buffers->bytes[i])};
    }
    if (ops->copy(buffers->device, stretches, 2 * buffers->count, err) != SG_SUCCESS ||
        ops->download(buffers->device, guards, buffers->guards, 2 * buffers->count * GUARD_MOST,
                      err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < 2 * buffers->count; i++) {
        const struct sg_buffer *buffer = &buffers->layout[i / 2];
        const uint64_t offset =
            (uint64_t)((const char *)stretches[i].from - (const char *)buffers->block[i / 2]);
        const uint64_t at =
            sg_guard_find_change(guards + i * GUARD_MOST, offset, stretches[i].bytes);
        if (at < stretches[i].bytes)
            sg_outcome_set(outcome, SG_OVERRUN,
                           "wrote outside of %s (%llu elements, %llu bytes): byte %lld changed",
                           buffer->name, (unsigned long long)buffer->count,
                           (unsigned long long)buffers->bytes[i / 2],
                           (long long)(offset + at) - (long long)SG_GUARD_BYTES);
    }
    return SG_SUCCESS;
}

enum sg_code sg_buffers_read(struct sg_buffers *buffers, size_t i, void *to, struct sg_err *err)
{
    return buffers->device->ops->download(buffers->device, to, buffers->memory[i],
                                          buffers->bytes[i], err);
}

struct sg_runnable sg_buffers_runnable(struct sg_buffers *buffers,
                                       const struct sg_configured_variant *configured)
{
    struct sg_runnable runnable = {
        .module = configured->module,
        .variant = configured->variant,
        .launch = {.c = buffers->c,
                   .buffer = buffers->memory,
                   .stream = buffers->device->ops->stream(buffers->device),
                   .sm_count = buffers->device->sm_count,
                   .knob = configured->knob},
        .buffer_bytes = buffers->bytes,
        .buffer_count = buffers->count,
    };
    for (size_t i = 0; i < buffers->count; i++) {
        if (!buffers->pristine[i])
            continue;
        runnable.restore[runnable.restore_count].to = buffers->memory[i];
        runnable.restore[runnable.restore_count].from = buffers->pristine[i];
        runnable.restore[runnable.restore_count++].bytes = buffers->bytes[i];
    }
    return runnable;
}

#include "worker/case_buffers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/dtype.h"
#include "util/memory.h"
#include "util/random.h"
#include "util/text.h"

#define CHUNK_BYTES (UINT64_C(4) << 20) /* inputs are read back in pieces of this size, which stay in the cache until they are compared */

bool sg_is_checked(const struct sg_buffer *buffer)
{
    return buffer->use == SG_OUTPUT || buffer->use == SG_INOUT;
}

bool sg_is_filled(const struct sg_buffer *buffer)
{
    return buffer->use == SG_INPUT || buffer->use == SG_INOUT;
}

/* Elements rounded up to whole 256 bytes; what is over belongs to the guard behind. */
static uint64_t room(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static uint64_t rear_guard(uint64_t bytes)
{
    return room(bytes) - bytes + SG_GUARD_BYTES;
}

/* Infinite inputs would let every output agree with its reference. */
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
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffer %zu is named \"%s\": expected [a-z0-9_]+", i,
                       buffer->name ? buffer->name : "");
    for (size_t j = 0; j < i; j++)
        if (strcmp(b->layout[j].name, buffer->name) == 0)
            return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffers %zu and %zu are both named %s", j, i, buffer->name);
    if ((unsigned)buffer->dtype >= SG_DTYPE_COUNT || (unsigned)buffer->use > SG_SCRATCH || (unsigned)buffer->fill > SG_UNIFORM)
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffer %s has dtype %u, use %u, fill %u: one is out of range", buffer->name,
                       (unsigned)buffer->dtype, (unsigned)buffer->use, (unsigned)buffer->fill);
    if (buffer->count == 0 || buffer->count > UINT64_MAX / 64)
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffer %s has %llu elements", buffer->name, (unsigned long long)buffer->count);
    if (buffer->row && buffer->count % buffer->row)
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffer %s has %llu elements, which is no number of whole rows of %llu", buffer->name,
                       (unsigned long long)buffer->count, (unsigned long long)buffer->row);
    if (!is_scale(buffer))
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffer %s has scale %g: expected 0 or more, and a number that %s can hold",
                       buffer->name, buffer->scale, sg_dtype_word(buffer->dtype));
    if (sg_is_filled(buffer) && buffer->fill == SG_CUSTOM && !b->family->fill)
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "buffer %s is SG_CUSTOM and the family has no fill function", buffer->name);
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
        return sg_fail(err, SG_BAD_INPUT, b->c->name, "layout has no SG_OUTPUT or SG_INOUT buffer, so nothing could be checked");
    return SG_SUCCESS;
}

/* Takes room for buffer i and its guards from the device; NULL with SG_OOM in
 * outcome when there is none left. */
static void take(struct sg_buffers *b, size_t i, void **block, struct sg_outcome *outcome)
{
    const uint64_t bytes = b->bare ? b->bytes[i] : SG_GUARD_BYTES + room(b->bytes[i]) + SG_GUARD_BYTES;
    enum sg_status status = SG_OOM;
    *block = b->device->ops->alloc(b->device, bytes, &status);
    if (!*block)
        sg_outcome_set(outcome, status, "no room for buffer %s of %llu bytes on %s", b->layout[i].name, (unsigned long long)bytes,
                       b->device->name);
}

void sg_buffers_take_host(struct sg_buffers *buffers, struct sg_outcome *outcome)
{
    for (size_t i = 0; i < buffers->count && outcome->status == SG_OK; i++) {
        if (!sg_is_filled(&buffers->layout[i]) || buffers->host[i])
            continue;
        buffers->host[i] = sg_alloc_huge(buffers->bytes[i]);
        if (!buffers->host[i])
            sg_outcome_set(outcome, SG_OOM, "no room for buffer %s of %llu bytes on the host", buffers->layout[i].name,
                           (unsigned long long)buffers->bytes[i]);
    }
}

enum sg_code sg_buffers_lay_out(struct sg_buffers *buffers, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err)
{
    *buffers = (struct sg_buffers){.family = target->home->family, .c = target->c};
    const size_t count = buffers->family->layout(target->c, buffers->layout);
    if (count > SG_MAX_BUFFERS)
        return sg_fail(err, SG_BAD_INPUT, target->c->name, "layout of %zu buffers: at most %d are allowed", count, SG_MAX_BUFFERS);
    buffers->count = count;
    if (check_layout(buffers, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count; i++)
        buffers->bytes[i] = sg_dtype_array_bytes(buffers->layout[i].dtype, buffers->layout[i].count);
    sg_buffers_take_host(buffers, outcome);
    return SG_SUCCESS;
}

void sg_buffers_open(struct sg_buffers *buffers, struct sg_device *device, struct sg_outcome *outcome)
{
    buffers->device = device;
    for (size_t i = 0; i < buffers->count && outcome->status == SG_OK; i++) {
        take(buffers, i, &buffers->block[i], outcome);
        buffers->memory[i] = buffers->block[i] ? (char *)buffers->block[i] + (buffers->bare ? 0 : SG_GUARD_BYTES) : NULL;
        if (buffers->layout[i].use == SG_INOUT && buffers->block[i])
            take(buffers, i, &buffers->pristine[i], outcome);
    }
}

void sg_buffers_release(struct sg_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++) {
        free(buffers->host[i]);
        if (buffers->block[i])
            buffers->device->ops->release(buffers->device, buffers->block[i]);
        if (buffers->pristine[i])
            buffers->device->ops->release(buffers->device, buffers->pristine[i]);
        if (buffers->pool[i])
            buffers->device->ops->release(buffers->device, buffers->pool[i]);
    }
    if (buffers->spare)
        buffers->device->ops->release(buffers->device, buffers->spare);
    *buffers = (struct sg_buffers){0};
}

void sg_buffers_free(struct sg_buffers *buffers)
{
    if (buffers)
        sg_buffers_release(buffers);
    free(buffers);
}

static bool is_custom(const struct sg_buffers *b, size_t i)
{
    return sg_is_filled(&b->layout[i]) && b->layout[i].fill == SG_CUSTOM;
}

bool sg_buffers_are_custom(const struct sg_buffers *buffers)
{
    bool custom = false;
    for (size_t i = 0; i < buffers->count; i++)
        custom |= is_custom(buffers, i);
    return custom;
}

struct sg_fill_plan sg_buffers_fill_plan(const struct sg_buffers *b, size_t i)
{
    uint64_t state = b->seed + i;
    return (struct sg_fill_plan){
        .dtype = b->layout[i].dtype,
        .count = b->layout[i].count,
        .kind = b->layout[i].fill,
        .scale = b->layout[i].scale,
        .integers = b->integers,
        /* Stirred, or neighbouring seeds would hand the same stream to neighbouring buffers. */
        .seed = sg_random_next(&state) ^ (uint64_t)i << 32,
    };
}

/* On the host: the part of each input that is not copied from the rest, and
 * all of one that the family fills. */
static void draw(struct sg_buffers *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (!sg_is_filled(&b->layout[i]))
            continue;
        const struct sg_fill_plan plan = sg_buffers_fill_plan(b, i);
        if (is_custom(b, i))
            b->rest[i] = (struct sg_fill_rest){.unit = 1, .period = b->bytes[i], .done = b->bytes[i], .total = b->bytes[i]};
        else
            sg_fill_draw(&plan, b->host[i], &b->rest[i]);
    }
    if (sg_buffers_are_custom(b))
        b->family->fill(&(struct sg_fill_request){.c = b->c, .seed = b->seed, .integers = b->integers, .host = b->host});
}

void sg_buffers_draw(struct sg_buffers *buffers, uint64_t seed, bool integers, bool whole)
{
    if (!buffers->drawn || buffers->seed != seed || buffers->integers != integers) {
        buffers->seed = seed;
        buffers->integers = integers;
        buffers->filled = buffers->whole = false;
        draw(buffers);
        buffers->drawn = true;
    }
    for (size_t i = 0; i < buffers->count && whole && !buffers->whole; i++)
        if (sg_is_filled(&buffers->layout[i]))
            sg_fill_tile(&buffers->rest[i], buffers->host[i]);
    buffers->whole |= whole;
}

static uint64_t drawn_bytes(const struct sg_buffers *b, size_t i)
{
    return b->rest[i].done * b->rest[i].unit;
}

/* What of an input is copied from what was drawn of it, on the device; the caller frees it. */
static struct sg_stretch *copied_stretches(const struct sg_buffers *b, size_t i, size_t *count)
{
    struct sg_fill_piece *pieces = sg_fill_pieces(&b->rest[i], count);
    struct sg_stretch *stretches = sg_alloc(*count + 1, sizeof(*stretches));
    char *memory = b->memory[i];
    for (size_t k = 0; k < *count; k++)
        stretches[k] = (struct sg_stretch){memory + pieces[k].to, memory + pieces[k].from, pieces[k].bytes};
    free(pieces);
    return stretches;
}

static enum sg_code copy_one(struct sg_buffers *b, struct sg_stretch stretch, struct sg_err *err)
{
    return b->device->ops->copy(b->device, &stretch, 1, err);
}

/* Only what is drawn travels; its copies are made there. */
static enum sg_code send(struct sg_buffers *b, size_t i, struct sg_err *err)
{
    size_t count = 0;
    struct sg_stretch *copied = copied_stretches(b, i, &count);
    if (b->device->ops->upload(b->device, b->memory[i], b->host[i], drawn_bytes(b, i), err) == SG_SUCCESS && count > 0)
        b->device->ops->copy(b->device, copied, count, err);
    if (b->pristine[i] && err->code == SG_SUCCESS)
        copy_one(b, (struct sg_stretch){b->pristine[i], b->memory[i], b->bytes[i]}, err);
    free(copied);
    return err->code;
}

static enum sg_code send_all(struct sg_buffers *b, struct sg_err *err)
{
    for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++)
        if (sg_is_filled(&b->layout[i]))
            send(b, i, err);
    b->filled = err->code == SG_SUCCESS;
    return err->code;
}

enum sg_code sg_buffers_fill(struct sg_buffers *buffers, uint64_t seed, bool integers, struct sg_err *err)
{
    sg_buffers_draw(buffers, seed, integers, true);
    return send_all(buffers, err);
}

enum sg_code sg_buffers_send(struct sg_buffers *buffers, uint64_t seed, struct sg_err *err)
{
    if (buffers->filled && buffers->seed == seed && !buffers->integers)
        return SG_SUCCESS;
    sg_buffers_draw(buffers, seed, false, false);
    return send_all(buffers, err);
}

void sg_buffers_forget_host(struct sg_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++) {
        free(buffers->host[i]);
        buffers->host[i] = NULL;
    }
}

enum sg_code sg_buffers_keep_filled(struct sg_buffers *buffers, uint64_t seed, struct sg_err *err)
{
    sg_buffers_send(buffers, seed, err);
    sg_buffers_forget_host(buffers);
    return err->code;
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
        sg_outcome_set(outcome, status, "no room for %llu bytes on %s to check launches", (unsigned long long)bytes, b->device->name);
}

static enum sg_code renew_guards(struct sg_buffers *b, size_t i, struct sg_err *err)
{
    unsigned char guard[SG_GUARD_BYTES + 256];
    const uint64_t rear = SG_GUARD_BYTES + b->bytes[i];
    sg_guard_fill(guard, 0, SG_GUARD_BYTES);
    if (b->device->ops->upload(b->device, b->block[i], guard, SG_GUARD_BYTES, err) != SG_SUCCESS)
        return err->code;
    sg_guard_fill(guard, rear, rear_guard(b->bytes[i]));
    return b->device->ops->upload(b->device, (char *)b->block[i] + rear, guard, rear_guard(b->bytes[i]), err);
}

enum sg_code sg_buffers_renew_guards(struct sg_buffers *buffers, struct sg_err *err)
{
    for (size_t i = 0; i < buffers->count && err->code == SG_SUCCESS; i++)
        renew_guards(buffers, i, err);
    return err->code;
}

/* The poison is of whole words. */
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
            copy_one(buffers, (struct sg_stretch){buffers->memory[i], buffers->pristine[i], buffers->bytes[i]}, err);
        else if (buffer->use != SG_INPUT)
            ops->fill32(buffers->device, buffers->memory[i], sg_dtype_poison(buffer->dtype, turn), (buffers->bytes[i] + 3) / 4, err);
        if (err->code == SG_SUCCESS && poison_reaches_guard(buffers, i))
            renew_guards(buffers, i, err);
    }
    return err->code;
}

/* Compares `bytes` bytes of a guard that begins `offset` into its block. */
static enum sg_code check_guard(struct sg_buffers *b, size_t i, uint64_t offset, uint64_t bytes, struct sg_outcome *outcome,
                                struct sg_err *err)
{
    unsigned char guard[SG_GUARD_BYTES + 256];
    if (b->device->ops->download(b->device, guard, (char *)b->block[i] + offset, bytes, err) != SG_SUCCESS)
        return err->code;
    const uint64_t at = sg_guard_find_change(guard, offset, bytes);
    if (at == bytes)
        return SG_SUCCESS;
    sg_outcome_set(outcome, SG_OVERRUN, "wrote outside of %s (%llu elements, %llu bytes): byte %lld changed", b->layout[i].name,
                   (unsigned long long)b->layout[i].count, (unsigned long long)b->bytes[i],
                   (long long)(offset + at) - (long long)SG_GUARD_BYTES);
    return SG_SUCCESS;
}

void sg_buffers_report_changed(const struct sg_buffers *b, size_t i, uint64_t byte, struct sg_outcome *outcome)
{
    const struct sg_buffer *buffer = &b->layout[i];
    struct sg_text element = {0};
    sg_element_name(buffer, byte * 8 / sg_dtype_bits(buffer->dtype), &element);
    sg_outcome_set(outcome, SG_OVERRUN, "wrote to its input: %s changed", element.data);
    sg_text_release(&element);
}

static enum sg_code check_drawn(struct sg_buffers *b, size_t i, unsigned char *chunk, struct sg_outcome *outcome, struct sg_err *err)
{
    const uint64_t bytes = drawn_bytes(b, i);
    for (uint64_t done = 0; done < bytes && outcome->status == SG_OK; done += CHUNK_BYTES) {
        const uint64_t piece = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        if (b->device->ops->download(b->device, chunk, (char *)b->memory[i] + done, piece, err) != SG_SUCCESS)
            return err->code;
        const uint64_t at = sg_first_difference(chunk, (unsigned char *)b->host[i] + done, piece);
        if (at < piece)
            sg_buffers_report_changed(b, i, done + at, outcome);
    }
    return SG_SUCCESS;
}

/* Of an input whose drawn part is as it was. */
static enum sg_code check_copied(struct sg_buffers *b, size_t i, struct sg_outcome *outcome, struct sg_err *err)
{
    const uint64_t begin = drawn_bytes(b, i), end = b->rest[i].total * b->rest[i].unit;
    uint64_t at = end - begin;
    size_t count = 0;
    struct sg_stretch *copied = copied_stretches(b, i, &count);
    if (count > 0)
        b->device->ops->compare(b->device, copied, count, &at, err);
    if (err->code == SG_SUCCESS && at < end - begin)
        sg_buffers_report_changed(b, i, begin + at, outcome);
    free(copied);
    return err->code;
}

enum sg_code sg_buffers_check_guards(struct sg_buffers *buffers, struct sg_outcome *outcome, struct sg_err *err)
{
    for (size_t i = 0; i < buffers->count && err->code == SG_SUCCESS; i++) {
        check_guard(buffers, i, 0, SG_GUARD_BYTES, outcome, err);
        check_guard(buffers, i, SG_GUARD_BYTES + buffers->bytes[i], rear_guard(buffers->bytes[i]), outcome, err);
    }
    return err->code;
}

enum sg_code sg_buffers_check_inputs(struct sg_buffers *buffers, struct sg_outcome *outcome, struct sg_err *err)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->layout[i].use == SG_INPUT && drawn_bytes(buffers, i) > largest)
            largest = drawn_bytes(buffers, i);
    unsigned char *chunk = largest ? sg_alloc(largest < CHUNK_BYTES ? largest : CHUNK_BYTES, 1) : NULL;
    for (size_t i = 0; i < buffers->count && err->code == SG_SUCCESS; i++)
        if (buffers->layout[i].use == SG_INPUT && check_drawn(buffers, i, chunk, outcome, err) == SG_SUCCESS && outcome->status == SG_OK)
            check_copied(buffers, i, outcome, err);
    free(chunk);
    return err->code;
}

enum sg_code sg_buffers_read(struct sg_buffers *buffers, size_t i, void *to, struct sg_err *err)
{
    return buffers->device->ops->download(buffers->device, to, buffers->memory[i], buffers->bytes[i], err);
}

struct sg_runnable sg_buffers_runnable(struct sg_buffers *buffers, const struct sg_configured_variant *way)
{
    struct sg_runnable runnable = {
        .module = way->module,
        .variant = way->variant,
        .launch = {.c = buffers->c,
                   .buffer = buffers->memory,
                   .stream = buffers->device->ops->stream(buffers->device),
                   .sm_count = buffers->device->sm_count,
                   .knob = way->knob},
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

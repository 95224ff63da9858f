#include "worker/fresh_buffers.h"

#include <stdlib.h>

#include "util/dtype.h"
#include "util/random.h"
#include "util/text.h"

#define OTHER_SEED     0x5851f42d4c957f2du /* of what is drawn beside the inputs of a seed */
#define SG_PLACE_BYTES 256u                /* where the requests of device/launch_check.h may begin */

uint64_t sg_fresh_key(uint64_t key, uint64_t number)
{
    uint64_t state = key ^ (number + 1) * 0xd1342543de82ef95u;
    sg_random_next(&state);
    return sg_random_next(&state);
}

static bool is_custom(const struct sg_buffers *b, size_t i)
{
    return b->layout[i].fill == SG_CUSTOM;
}

static enum sg_code upload(struct sg_buffers *b, size_t i, uint64_t at, const void *host, uint64_t bytes, struct sg_err *err)
{
    return b->device->ops->upload(b->device, (char *)b->pool[i] + at, host, bytes, err);
}

/* From one set of a buffer to the next: each begins where a device likes to read from. */
static uint64_t set_bytes(const struct sg_buffers *b, size_t i)
{
    return (b->bytes[i] + 255) / 256 * 256;
}

static bool take(struct sg_buffers *b, size_t i, uint64_t bytes, struct sg_outcome *outcome)
{
    enum sg_status status = SG_OOM;
    /* From a try that had no room for all of them. */
    if (b->pool[i])
        return true;
    b->pool_bytes[i] = bytes;
    b->pool[i] = b->device->ops->alloc(b->device, bytes, &status);
    if (!b->pool[i])
        sg_outcome_set(outcome, status, "no room for %llu bytes on %s to make inputs of %s from", (unsigned long long)bytes,
                       b->device->name, b->layout[i].name);
    return b->pool[i] != NULL;
}

/* Of a short input: more of its kind. */
static enum sg_code draw_pool(struct sg_buffers *b, size_t i, struct sg_err *err)
{
    struct sg_fill_plan plan = sg_buffers_fill_plan(b, i);
    plan.count = SG_FRESH_ELEMENTS;
    plan.seed ^= OTHER_SEED;
    void *host = sg_alloc(b->pool_bytes[i], 1);
    sg_fill(&plan, host);
    upload(b, i, 0, host, b->pool_bytes[i], err);
    free(host);
    return err->code;
}

/* What was drawn of a long input is a pool already. */
static enum sg_code make_pool(struct sg_buffers *b, size_t i, struct sg_outcome *outcome, struct sg_err *err)
{
    const uint64_t least = sg_dtype_array_bytes(b->layout[i].dtype, SG_FRESH_ELEMENTS);
    const uint64_t drawn = b->rest[i].done * b->rest[i].unit;
    if (!take(b, i, drawn > least ? drawn : least, outcome))
        return SG_SUCCESS;
    if (drawn < least)
        return draw_pool(b, i, err);
    return b->device->ops->copy(b->device, &(struct sg_stretch){b->pool[i], b->memory[i], drawn}, 1, err);
}

/* The set that is there, on the device: its copies on the host may be gone. */
static enum sg_code copy_set(struct sg_buffers *b, size_t i, struct sg_err *err)
{
    const void *from = b->pristine[i] ? b->pristine[i] : b->memory[i];
    return b->device->ops->copy(b->device, &(struct sg_stretch){b->pool[i], from, b->bytes[i]}, 1, err);
}

/* One set after the other, each as the family makes it of a seed of its own;
 * the first is the one that is there. */
static enum sg_code make_sets(struct sg_buffers *b, uint64_t seed, struct sg_outcome *outcome, struct sg_err *err)
{
    for (size_t i = 0; i < b->count && outcome->status == SG_OK; i++)
        if (sg_is_filled(&b->layout[i]) && is_custom(b, i))
            take(b, i, SG_FRESH_SETS * set_bytes(b, i), outcome);
    if (outcome->status == SG_OK)
        sg_buffers_take_host(b, outcome);
    for (unsigned set = 0; set < SG_FRESH_SETS && outcome->status == SG_OK && err->code == SG_SUCCESS; set++) {
        if (set > 0)
            b->family->fill(&(struct sg_fill_request){.c = b->c, .seed = seed ^ set * OTHER_SEED, .host = b->host});
        for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++)
            if (b->pool[i] && is_custom(b, i) && set == 0)
                copy_set(b, i, err);
            else if (b->pool[i] && is_custom(b, i))
                upload(b, i, set * set_bytes(b, i), b->host[i], b->bytes[i], err);
    }
    return err->code;
}

enum sg_code sg_fresh_open(struct sg_buffers *b, uint64_t seed, struct sg_outcome *outcome, struct sg_err *err)
{
    if (b->has_pools)
        return SG_SUCCESS;
    if (sg_buffers_send(b, seed, err) != SG_SUCCESS)
        return err->code;
    if (sg_buffers_are_custom(b))
        make_sets(b, seed, outcome, err);
    for (size_t i = 0; i < b->count && outcome->status == SG_OK && err->code == SG_SUCCESS; i++)
        if (sg_is_filled(&b->layout[i]) && !is_custom(b, i))
            make_pool(b, i, outcome, err);
    sg_buffers_forget_host(b);
    b->has_pools = outcome->status == SG_OK && err->code == SG_SUCCESS;
    return err->code;
}

static struct sg_refill refill_of(const struct sg_buffers *b, size_t i, void *to, uint64_t key)
{
    const bool custom = is_custom(b, i);
    const uint64_t set = custom ? key % SG_FRESH_SETS : 0;
    return (struct sg_refill){
        .to = to,
        .pool = (const char *)b->pool[i] + set * set_bytes(b, i),
        .bytes = b->bytes[i],
        .pool_bytes = custom ? b->bytes[i] : b->pool_bytes[i],
        .unit_bytes = (unsigned)sg_dtype_bytes(b->layout[i].dtype),
        .key = sg_fresh_key(key, i),
        .in_order = custom,
    };
}

enum sg_code sg_fresh_inputs(struct sg_buffers *b, uint64_t key, struct sg_err *err)
{
    struct sg_refill refills[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (sg_is_filled(&b->layout[i]))
            refills[count++] = refill_of(b, i, b->pristine[i] ? b->pristine[i] : b->memory[i], key);
    return sg_device_refill(b->device, refills, count, err);
}

bool sg_fresh_inputs_are_new(const struct sg_buffers *b)
{
    bool filled = false;
    for (size_t i = 0; i < b->count; i++)
        filled |= sg_is_filled(&b->layout[i]);
    return filled && !sg_buffers_are_custom(b);
}

/* Of output i, from a place that the key draws: so many bytes, or all that there are. */
static struct sg_scramble scramble_of(const struct sg_buffers *b, size_t i, uint64_t most, uint64_t key)
{
    const unsigned unit = (unsigned)sg_dtype_bytes(b->layout[i].dtype);
    const uint64_t bytes = b->bytes[i] < most ? b->bytes[i] : most, places = (b->bytes[i] - bytes) / SG_PLACE_BYTES + 1;
    return (struct sg_scramble){
        .memory = (char *)b->memory[i] + sg_fresh_key(key, b->count + i) % places * SG_PLACE_BYTES,
        .count = bytes / unit,
        .unit_bytes = unit,
        .key = sg_fresh_key(key, i),
    };
}

enum sg_code sg_fresh_outputs(struct sg_buffers *b, uint64_t most, uint64_t key, struct sg_err *err)
{
    struct sg_scramble scrambles[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->layout[i].use == SG_OUTPUT)
            scrambles[count++] = scramble_of(b, i, most, key);
    return sg_device_scramble(b->device, scrambles, count, err);
}

static enum sg_code check_input(struct sg_buffers *b, size_t i, uint64_t key, struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_refill refill = refill_of(b, i, b->spare, key);
    const struct sg_stretch both = {b->memory[i], b->spare, b->bytes[i]};
    uint64_t at = both.bytes;
    if (sg_device_refill(b->device, &refill, 1, err) == SG_SUCCESS)
        b->device->ops->compare(b->device, &both, 1, &at, err);
    if (err->code == SG_SUCCESS && at < both.bytes)
        sg_buffers_report_changed(b, i, at, outcome);
    return err->code;
}

uint64_t sg_fresh_largest_input(const struct sg_buffers *b)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->layout[i].use == SG_INPUT && b->bytes[i] > largest)
            largest = b->bytes[i];
    return largest;
}

enum sg_code sg_fresh_check_inputs(struct sg_buffers *b, uint64_t key, struct sg_outcome *outcome, struct sg_err *err)
{
    for (size_t i = 0; i < b->count && outcome->status == SG_OK && err->code == SG_SUCCESS; i++)
        if (b->layout[i].use == SG_INPUT)
            check_input(b, i, key, outcome, err);
    return err->code;
}

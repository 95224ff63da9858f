#include "worker/fresh_buffers.h"

#include <stdlib.h>

#include "util/dtype.h"
#include "util/memory.h"
#include "util/random.h"
#include "util/text.h"
#include "worker/random_fill.h"

#define OTHER_SEED    0x5851f42d4c957f2du /* of data drawn in addition to the inputs of a seed */
#define PLACE_BYTES   256u                /* alignment of requests (device/launch_check.h) */
#define POOL_ELEMENTS 1024u /* minimum: a shorter pool would have few orders of pieces */

uint64_t sg_fresh_key(uint64_t key, uint64_t number)
{
    uint64_t state = key ^ (number + 1) * 0xd1342543de82ef95u;
    sg_random_next(&state);
    return sg_random_next(&state);
}

static bool is_custom(const struct sg_buffers *b, size_t i)
{
    return sg_is_filled(&b->layout[i]) && b->layout[i].fill == SG_CUSTOM;
}

static bool is_rearranged(const struct sg_buffers *b, size_t i)
{
    return sg_is_filled(&b->layout[i]) && b->layout[i].fill == SG_REARRANGED;
}

/* True if the family writes the input. */
static bool is_given(const struct sg_buffers *b, size_t i)
{
    return is_custom(b, i) || is_rearranged(b, i);
}

static bool is_drawn(const struct sg_buffers *b, size_t i)
{
    return sg_is_filled(&b->layout[i]) && !is_given(b, i);
}

static bool any(const struct sg_buffers *b, bool (*is)(const struct sg_buffers *b, size_t i))
{
    bool found = false;
    for (size_t i = 0; i < b->count; i++)
        found |= is(b, i);
    return found;
}

/* ---- pools ---- */

/* Distance between two sets of a buffer: each is aligned for the device. */
static uint64_t set_bytes(const struct sg_buffers *b, size_t i)
{
    return (b->bytes[i] + PLACE_BYTES - 1) / PLACE_BYTES * PLACE_BYTES;
}

static bool take(struct sg_buffers *b, size_t i, uint64_t bytes, struct sg_outcome *outcome)
{
    enum sg_status status = SG_OOM;
    if (b->pool[i] && b->pool_bytes[i] >= bytes)
        return true;
    if (b->pool[i])
        b->device->ops->release(b->device, b->pool[i]);
    b->pool_bytes[i] = bytes;
    b->pool[i] = b->device->ops->alloc(b->device, bytes, &status);
    if (!b->pool[i])
        sg_outcome_set(outcome, status, "no room for %llu bytes on %s to make inputs of %s from",
                       (unsigned long long)bytes, b->device->name, b->layout[i].name);
    return b->pool[i] != NULL;
}

/* Draws at most a prime number of elements, so that rows whose length is a power of two differ. */
static enum sg_code draw_pool(struct sg_buffers *b, size_t i, const struct sg_pool_plan *plan,
                              struct sg_outcome *outcome, struct sg_err *err)
{
    uint64_t state = plan->seed + i,
             count = b->layout[i].count < SG_FILL_PERIOD ? b->layout[i].count : SG_FILL_PERIOD;
    const struct sg_fill_plan fill = {
        .dtype = b->layout[i].dtype,
        .count = count > POOL_ELEMENTS ? count : POOL_ELEMENTS,
        .kind = b->layout[i].fill,
        .scale = b->layout[i].scale,
        .integers = plan->integers,
        /* Mix the seed: otherwise neighbouring seeds give neighbouring buffers the same stream. */
        .seed = sg_random_next(&state) ^ (uint64_t)i << 32,
    };
    const uint64_t bytes = sg_dtype_array_bytes(fill.dtype, fill.count);
    if (!take(b, i, bytes, outcome))
        return SG_SUCCESS;
    SG_FREED void *host = sg_alloc(bytes, 1);
    sg_fill(&fill, host);
    b->device->ops->upload(b->device, b->pool[i], host, bytes, err);
    return err->code;
}

static void take_sets(struct sg_buffers *b, unsigned sets, void *host[SG_MAX_BUFFERS],
                      struct sg_outcome *outcome)
{
    for (size_t i = 0; i < b->count && outcome->status == SG_OK; i++) {
        if (!sg_is_filled(&b->layout[i]))
            continue;
        host[i] = sg_alloc_huge(b->bytes[i]);
        if (!host[i])
            sg_outcome_set(outcome, SG_OOM, "no room for buffer %s of %llu bytes on the host",
                           b->layout[i].name, (unsigned long long)b->bytes[i]);
        else if (is_given(b, i))
            take(b, i, is_custom(b, i) ? sets * set_bytes(b, i) : b->bytes[i], outcome);
    }
}

/* Makes the sets one by one; the family gets a different seed for each. */
static enum sg_code make_sets(struct sg_buffers *b, const struct sg_pool_plan *plan,
                              struct sg_outcome *outcome, struct sg_err *err)
{
    void *host[SG_MAX_BUFFERS] = {NULL};
    const unsigned sets = any(b, is_custom) ? plan->sets + plan->unseen : 1;
    take_sets(b, sets, host, outcome);
    for (unsigned set = 0; set < sets && outcome->status == SG_OK && err->code == SG_SUCCESS;
         set++) {
        b->family->fill(&(struct sg_fill_request){.c = b->c,
                                                  .seed = plan->seed ^ set * OTHER_SEED,
                                                  .integers = plan->integers,
                                                  .host = host});
        for (size_t i = 0; i < b->count && err->code == SG_SUCCESS; i++)
            if (is_custom(b, i) || (is_rearranged(b, i) && set == 0))
                b->device->ops->upload(b->device, (char *)b->pool[i] + set * set_bytes(b, i),
                                       host[i], b->bytes[i], err);
    }
    for (size_t i = 0; i < b->count; i++)
        free(host[i]);
    return err->code;
}

enum sg_code sg_pools_make(struct sg_buffers *b, const struct sg_pool_plan *plan,
                           struct sg_outcome *outcome, struct sg_err *err)
{
    b->shown = 0;
    if (b->sets >= plan->sets && b->unseen >= plan->unseen && b->seed == plan->seed &&
        b->integers == plan->integers)
        return SG_SUCCESS;
    b->sets = 0;
    if (any(b, is_given))
        make_sets(b, plan, outcome, err);
    for (size_t i = 0; i < b->count && outcome->status == SG_OK && err->code == SG_SUCCESS; i++)
        if (is_drawn(b, i))
            draw_pool(b, i, plan, outcome, err);
    if (outcome->status != SG_OK || err->code != SG_SUCCESS)
        return err->code;
    b->seed = plan->seed;
    b->integers = plan->integers;
    b->sets = plan->sets;
    b->unseen = plan->unseen;
    return SG_SUCCESS;
}

void sg_fresh_show_unseen(struct sg_buffers *b)
{
    b->shown = b->unseen;
}

/* ---- inputs ---- */

static struct sg_refill refill_of(const struct sg_buffers *b, size_t i, void *to, uint64_t key)
{
    const bool custom = is_custom(b, i);
    const uint64_t set = custom ? key % (b->sets + b->shown) : 0;
    return (struct sg_refill){
        .to = to,
        .pool = (const char *)b->pool[i] + set * set_bytes(b, i),
        .bytes = b->bytes[i],
        .pool_bytes = custom ? b->bytes[i] : b->pool_bytes[i],
        .unit_bytes = (unsigned)sg_dtype_bytes(b->layout[i].dtype),
        .key = sg_fresh_key(key, i),
        .in_order = custom || (key == SG_AS_DRAWN && b->pool_bytes[i] >= b->bytes[i]),
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

enum sg_code sg_place_inputs(struct sg_buffers *b, struct sg_err *err)
{
    struct sg_stretch copies[SG_MAX_BUFFERS];
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->pristine[i])
            copies[count++] = (struct sg_stretch){b->memory[i], b->pristine[i], b->bytes[i]};
    /* `copy` synchronizes, even without copies: a `prepare` may read inputs on any stream. */
    if (sg_fresh_inputs(b, SG_AS_DRAWN, err) == SG_SUCCESS)
        b->device->ops->copy(b->device, copies, count, err);
    return err->code;
}

enum sg_code sg_fill_inputs(struct sg_buffers *b, uint64_t seed, bool integers,
                            struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_pool_plan plan = {.seed = seed, .integers = integers, .sets = 1};
    if (sg_pools_make(b, &plan, outcome, err) == SG_SUCCESS && outcome->status == SG_OK)
        sg_place_inputs(b, err);
    return err->code;
}

bool sg_fresh_inputs_are_new(const struct sg_buffers *b)
{
    return (any(b, is_drawn) || any(b, is_rearranged)) && !any(b, is_custom);
}

/* At most `most` bytes of output i, from a place that the key selects. */
static struct sg_scramble scramble_of(const struct sg_buffers *b, size_t i, uint64_t most,
                                      uint64_t key)
{
    const unsigned unit = (unsigned)sg_dtype_bytes(b->layout[i].dtype);
    const uint64_t bytes = b->bytes[i] < most ? b->bytes[i] : most,
                   places = (b->bytes[i] - bytes) / PLACE_BYTES + 1;
    return (struct sg_scramble){
        .memory = (char *)b->memory[i] + sg_fresh_key(key, b->count + i) % places * PLACE_BYTES,
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

static enum sg_code check_input(struct sg_buffers *b, size_t i, uint64_t key,
                                struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_refill refill = refill_of(b, i, b->spare, key);
    const struct sg_stretch both = {b->memory[i], b->spare, b->bytes[i]};
    uint64_t at = both.bytes;
    SG_SCOPED(sg_text) element = {0};
    if (sg_device_refill(b->device, &refill, 1, err) != SG_SUCCESS ||
        b->device->ops->compare(b->device, &both, 1, &at, err) != SG_SUCCESS || at == both.bytes)
        return err->code;
    sg_element_name(&b->layout[i], at * 8 / sg_dtype_bits(b->layout[i].dtype), &element);
    sg_outcome_set(outcome, SG_OVERRUN, "wrote to its input: %s changed", element.data);
    return SG_SUCCESS;
}

uint64_t sg_fresh_largest_input(const struct sg_buffers *b)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->layout[i].use == SG_INPUT && b->bytes[i] > largest)
            largest = b->bytes[i];
    return largest;
}

enum sg_code sg_fresh_check_inputs(struct sg_buffers *b, uint64_t key, struct sg_outcome *outcome,
                                   struct sg_err *err)
{
    sg_buffers_take_spare(b, sg_fresh_largest_input(b), outcome);
    for (size_t i = 0; i < b->count && outcome->status == SG_OK && err->code == SG_SUCCESS; i++)
        if (b->layout[i].use == SG_INPUT)
            check_input(b, i, key, outcome, err);
    return err->code;
}

#include "inject/launches.h"

#include <stdlib.h>

#include "inject/map.h"

/* beyond this, records are missing because another client takes them */
#define KEPT_MOST (1u << 20)

static struct sg_map slots; /* correlation -> index */
static struct sg_launch_call *calls;
static uint32_t *free_slots;
static size_t capacity, free_count;

static bool grow(void)
{
    const size_t more = capacity ? 2 * capacity : 256;
    struct sg_launch_call *larger = realloc(calls, more * sizeof(*calls));
    if (larger)
        calls = larger;
    uint32_t *more_free = realloc(free_slots, more * sizeof(*free_slots));
    if (more_free)
        free_slots = more_free;
    if (!larger || !more_free)
        return false;
    for (size_t i = more; i > capacity; i--)
        free_slots[free_count++] = (uint32_t)i - 1;
    capacity = more;
    return true;
}

void sg_launches_begin(uint32_t correlation, const struct sg_launch_call *call)
{
    if (free_count == 0 && (capacity >= KEPT_MOST || !grow()))
        return;
    const uint32_t slot = free_slots[free_count - 1];
    if (!sg_map_put(&slots, correlation, slot))
        return;
    free_count--;
    calls[slot] = *call;
}

void sg_launches_cancel(uint32_t correlation)
{
    uint64_t slot;
    if (sg_map_take(&slots, correlation, &slot))
        free_slots[free_count++] = (uint32_t)slot;
}

bool sg_launches_take(uint32_t correlation, struct sg_launch_call *call)
{
    uint64_t slot;
    if (!sg_map_get(&slots, correlation, &slot))
        return false;
    *call = calls[slot];
    if (call->kernels != SG_KERNELS_UNKNOWN && --calls[slot].kernels == 0)
        sg_launches_cancel(correlation);
    return true;
}

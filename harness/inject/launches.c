#include "inject/launches.h"

#include <stdlib.h>

#include "inject/map.h"

/* beyond this, records are missing because another client takes them */
#define KEPT_MOST (1u << 20)

static struct sg_map places; /* correlation -> index */
static struct sg_launch_call *calls;
static uint32_t *free_places;
static size_t capacity, free_count;

static bool grow(void)
{
    const size_t more = capacity ? 2 * capacity : 256;
    struct sg_launch_call *larger = realloc(calls, more * sizeof(*calls));
    if (larger)
        calls = larger;
    uint32_t *places_of = realloc(free_places, more * sizeof(*free_places));
    if (places_of)
        free_places = places_of;
    if (!larger || !places_of)
        return false;
    for (size_t i = more; i > capacity; i--)
        free_places[free_count++] = (uint32_t)i - 1;
    capacity = more;
    return true;
}

void sg_launches_begin(uint32_t correlation, const struct sg_launch_call *call)
{
    if (free_count == 0 && (capacity >= KEPT_MOST || !grow()))
        return;
    const uint32_t place = free_places[free_count - 1];
    if (!sg_map_put(&places, correlation, place))
        return;
    free_count--;
    calls[place] = *call;
}

void sg_launches_cancel(uint32_t correlation)
{
    uint64_t place;
    if (sg_map_take(&places, correlation, &place))
        free_places[free_count++] = (uint32_t)place;
}

bool sg_launches_take(uint32_t correlation, struct sg_launch_call *call)
{
    uint64_t place;
    if (!sg_map_get(&places, correlation, &place))
        return false;
    *call = calls[place];
    if (call->kernels != SG_KERNELS_UNKNOWN && --calls[place].kernels == 0)
        sg_launches_cancel(correlation);
    return true;
}

#include "inject/map.h"

#include <stdlib.h>
#include <string.h>

#define PRIME UINT64_C(0x100000001b3)

static uint64_t stir(uint64_t x)
{
    x ^= x >> 31;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ (x >> 29);
}

uint64_t sg_map_digest(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t state = UINT64_C(0xcbf29ce484222325) ^ count;
    for (; count >= sizeof(uint64_t); count -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        state = stir((state ^ word) * PRIME);
    }
    for (; count > 0; count--)
        state = (state ^ *at++) * PRIME;
    return stir(state);
}

/* Key 0 marks an empty slot, so 0 is stored as 1. */
static uint64_t stored(uint64_t key)
{
    return key ? key : 1;
}

/* Slot of the key, or the empty slot for it. */
static size_t slot_of(const struct sg_map *map, uint64_t key)
{
    size_t i = (size_t)stir(key) & (map->capacity - 1);
    while (map->slots[2 * i] && map->slots[2 * i] != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

static bool grow(struct sg_map *map)
{
    struct sg_map larger = {.capacity = map->capacity ? 2 * map->capacity : 64};
    larger.slots = calloc(larger.capacity, 2 * sizeof(uint64_t));
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[2 * i])
            sg_map_put(&larger, map->slots[2 * i], map->slots[2 * i + 1]);
    free(map->slots);
    *map = larger;
    return true;
}

bool sg_map_put(struct sg_map *map, uint64_t key, uint64_t value)
{
    if (2 * (map->count + 1) > map->capacity && !grow(map))
        return false;
    const size_t i = slot_of(map, stored(key));
    map->count += map->slots[2 * i] == 0;
    map->slots[2 * i] = stored(key);
    map->slots[2 * i + 1] = value;
    return true;
}

bool sg_map_get(const struct sg_map *map, uint64_t key, uint64_t *value)
{
    if (map->count == 0)
        return false;
    const size_t i = slot_of(map, stored(key));
    if (map->slots[2 * i])
        *value = map->slots[2 * i + 1];
    return map->slots[2 * i] != 0;
}

bool sg_map_take(struct sg_map *map, uint64_t key, uint64_t *value)
{
    if (!sg_map_get(map, key, value))
        return false;
    size_t hole = slot_of(map, stored(key));
    map->slots[2 * hole] = 0;
    map->count--;
    /* Later entries may have been displaced by the removed one. */
    for (size_t i = (hole + 1) & (map->capacity - 1); map->slots[2 * i];
         i = (i + 1) & (map->capacity - 1)) {
        const uint64_t moved[2] = {map->slots[2 * i], map->slots[2 * i + 1]};
        map->slots[2 * i] = 0;
        memcpy(&map->slots[2 * slot_of(map, moved[0])], moved, sizeof(moved));
    }
    return true;
}

/*
 * inject/map.h - a hash table of 64-bit keys and values, and the digest that makes keys.
 *
 * Open addressing. Keys are digests or handles; equal keys are the same entry. All zero is an empty
 * table. Without memory sg_map_put adds nothing and returns false.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_map {
    uint64_t *slots; /* owned; keys and values alternate */
    size_t count, capacity;
};

bool sg_map_put(struct sg_map *map, uint64_t key, uint64_t value); /* replaces an old value */
bool sg_map_get(const struct sg_map *map, uint64_t key, uint64_t *value);
bool sg_map_take(struct sg_map *map, uint64_t key, uint64_t *value); /* also removes the entry */

/* FNV-1a over words of 8 bytes, then over bytes, with a final mix. */
uint64_t sg_map_digest(const void *bytes, size_t count);

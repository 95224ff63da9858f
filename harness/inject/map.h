/*
 * inject/map.h - a table of 64-bit keys and values; and the digest that makes a key of bytes.
 *
 * Open addressing; keys are digests or handles, and two that are equal are taken for the same.
 * All zero is an empty table. Without memory nothing is added, and sg_map_put says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_map {
    uint64_t *slots; /* owned; key and value in turns */
    size_t count, capacity;
};

bool sg_map_put(struct sg_map *map, uint64_t key, uint64_t value); /* replaces */
bool sg_map_get(const struct sg_map *map, uint64_t key, uint64_t *value);
bool sg_map_take(struct sg_map *map, uint64_t key, uint64_t *value); /* and it is gone */

/* FNV-1a over words of 8 bytes and then bytes, with a last stir. */
uint64_t sg_map_digest(const void *bytes, size_t count);

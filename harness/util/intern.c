#include "util/intern.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define BLOCK_FIRST 512u /* bytes: many pools hold a dozen strings */
#define BLOCK_MOST  (64u << 10)

struct block {
    struct block *next;
    char bytes[];
};

struct sg_intern_pool {
    struct block *blocks; /* strings lie in them one behind the other and never move */
    char *free_bytes;
    size_t free_count, block_bytes;
    const char **string; /* by id */
    uint32_t *hash;      /* by id, so that growing the slots reads no string again */
    size_t count, string_capacity, hash_capacity;
    sg_id *slot; /* open addressing, a power of two; 0: free, for "" needs none */
    size_t slot_count;
};

static uint32_t hash_of(const char *string)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *string; string++)
        hash = (hash ^ (unsigned char)*string) * 1099511628211u;
    return (uint32_t)(hash ^ hash >> 32);
}

/* The slot that holds the string, or the free one where it belongs. */
static size_t slot_of(const struct sg_intern_pool *pool, const char *string, uint32_t hash)
{
    size_t at = hash & (pool->slot_count - 1);
    while (pool->slot[at] != 0 && (pool->hash[pool->slot[at]] != hash || strcmp(pool->string[pool->slot[at]], string) != 0))
        at = (at + 1) & (pool->slot_count - 1);
    return at;
}

static void grow_slots(struct sg_intern_pool *pool)
{
    pool->slot_count *= 2;
    free(pool->slot);
    pool->slot = sg_alloc(pool->slot_count, sizeof(*pool->slot));
    for (size_t id = 1; id < pool->count; id++) {
        size_t at = pool->hash[id] & (pool->slot_count - 1);
        while (pool->slot[at] != 0)
            at = (at + 1) & (pool->slot_count - 1);
        pool->slot[at] = (sg_id)id;
    }
}

static const char *keep(struct sg_intern_pool *pool, const char *string)
{
    size_t bytes = strlen(string) + 1;
    if (bytes > pool->free_count) {
        pool->block_bytes = pool->block_bytes == 0 ? BLOCK_FIRST : pool->block_bytes < BLOCK_MOST ? 2 * pool->block_bytes : BLOCK_MOST;
        size_t room = bytes > pool->block_bytes ? bytes : pool->block_bytes;
        struct block *block = sg_alloc(1, sizeof(*block) + room);
        block->next = pool->blocks;
        pool->blocks = block;
        pool->free_bytes = block->bytes;
        pool->free_count = room;
    }
    char *kept = memcpy(pool->free_bytes, string, bytes);
    pool->free_bytes += bytes;
    pool->free_count -= bytes;
    return kept;
}

static void add(struct sg_intern_pool *pool, const char *string, uint32_t hash)
{
    pool->string = sg_grow(pool->string, &pool->string_capacity, pool->count + 1, sizeof(*pool->string));
    pool->hash = sg_grow(pool->hash, &pool->hash_capacity, pool->count + 1, sizeof(*pool->hash));
    pool->string[pool->count] = string;
    pool->hash[pool->count] = hash;
    pool->count++;
}

static struct sg_intern_pool *new_pool(void)
{
    struct sg_intern_pool *pool = sg_alloc(1, sizeof(*pool));
    pool->slot_count = 64;
    pool->slot = sg_alloc(pool->slot_count, sizeof(*pool->slot));
    add(pool, "", 0);
    return pool;
}

sg_id sg_intern(struct sg_intern_pool **pool_in_out, const char *string)
{
    if (string[0] == '\0')
        return 0;
    if (!*pool_in_out)
        *pool_in_out = new_pool();
    struct sg_intern_pool *pool = *pool_in_out;
    uint32_t hash = hash_of(string);
    size_t at = slot_of(pool, string, hash);
    if (pool->slot[at] != 0)
        return pool->slot[at];
    sg_id id = (sg_id)pool->count;
    pool->slot[at] = id;
    add(pool, keep(pool, string), hash);
    if (pool->count * 2 > pool->slot_count)
        grow_slots(pool);
    return id;
}

sg_id sg_intern_like(struct sg_intern_pool **pool, sg_id guess, const char *string)
{
    return strcmp(sg_intern_pool_string(*pool, guess), string) == 0 ? guess : sg_intern(pool, string);
}

sg_id sg_intern_pool_find(const struct sg_intern_pool *pool, const char *string)
{
    if (string[0] == '\0')
        return 0;
    sg_id id = pool ? pool->slot[slot_of(pool, string, hash_of(string))] : 0;
    return id != 0 ? id : UINT32_MAX;
}

const char *sg_intern_pool_string(const struct sg_intern_pool *pool, sg_id id)
{
    return id == 0 ? "" : pool->string[id];
}

bool sg_intern_pool_has(const struct sg_intern_pool *pool, const char *string)
{
    return string[0] != '\0' && sg_intern_pool_find(pool, string) != UINT32_MAX;
}

bool sg_intern_pool_is_news(struct sg_intern_pool **pool, const char *string)
{
    const uint32_t before = sg_intern_pool_count(*pool);
    sg_intern(pool, string);
    return sg_intern_pool_count(*pool) > before;
}

uint32_t sg_intern_pool_count(const struct sg_intern_pool *pool)
{
    return pool ? (uint32_t)pool->count : 1;
}

void sg_intern_pool_free(struct sg_intern_pool *pool)
{
    if (!pool)
        return;
    while (pool->blocks) {
        struct block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
    free(pool->string);
    free(pool->hash);
    free(pool->slot);
    free(pool);
}

#include "util/intern.h"

#include <stdlib.h>
#include <string.h>

#include "util/digest.h"

#define SLOTS_FIRST 64

struct sg_intern_pool {
    char **string; /* owned; by id */
    size_t count, capacity;
    sg_id *slot; /* open addressing, a power of two; 0: free, because "" needs no slot */
    size_t slot_count;
};

/* Returns the slot of the string, or the free slot for it. */
static size_t slot_of(const struct sg_intern_pool *pool, const char *string)
{
    struct sg_digest hash = SG_DIGEST_EMPTY;
    sg_digest_add(&hash, string, strlen(string));
    size_t at = (hash.state ^ hash.state >> 32) & (pool->slot_count - 1);
    while (pool->slot[at] != 0 && strcmp(pool->string[pool->slot[at]], string) != 0)
        at = (at + 1) & (pool->slot_count - 1);
    return at;
}

static void set_slots(struct sg_intern_pool *pool, size_t count)
{
    free(pool->slot);
    pool->slot = sg_alloc(count, sizeof(*pool->slot));
    pool->slot_count = count;
    for (size_t id = 1; id < pool->count; id++)
        pool->slot[slot_of(pool, pool->string[id])] = (sg_id)id;
}

static struct sg_intern_pool *new_pool(void)
{
    struct sg_intern_pool *pool = sg_alloc(1, sizeof(*pool));
    set_slots(pool, SLOTS_FIRST);
    *SG_APPEND(pool->string, pool->count, pool->capacity) = sg_copy_string("");
    return pool;
}

sg_id sg_intern(struct sg_intern_pool **pool_in_out, const char *string)
{
    if (string[0] == '\0')
        return 0;
    if (!*pool_in_out)
        *pool_in_out = new_pool();
    struct sg_intern_pool *pool = *pool_in_out;
    const size_t at = slot_of(pool, string);
    if (pool->slot[at] != 0)
        return pool->slot[at];
    const sg_id id = pool->slot[at] = (sg_id)pool->count;
    *SG_APPEND(pool->string, pool->count, pool->capacity) = sg_copy_string(string);
    if (2 * pool->count > pool->slot_count)
        set_slots(pool, 2 * pool->slot_count);
    return id;
}

sg_id sg_intern_pool_find(const struct sg_intern_pool *pool, const char *string)
{
    if (string[0] == '\0')
        return 0;
    const sg_id id = pool ? pool->slot[slot_of(pool, string)] : 0;
    return id != 0 ? id : UINT32_MAX;
}

const char *sg_intern_pool_string(const struct sg_intern_pool *pool, sg_id id)
{
    return id == 0 ? "" : pool->string[id];
}

const char *sg_intern_string(struct sg_intern_pool **pool, const char *string)
{
    const sg_id id = sg_intern(pool, string); /* call first: it may make the pool */
    return sg_intern_pool_string(*pool, id);
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
    for (size_t i = 0; pool && i < pool->count; i++)
        free(pool->string[i]);
    if (pool) {
        free(pool->string);
        free(pool->slot);
    }
    free(pool);
}

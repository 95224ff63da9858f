/*
 * util/intern.h - stores each string once and names it by a small integer.
 *
 * Invariant: equal strings have equal ids; a string does not move until the pool is freed. 0 is ""
 * in every pool, also in a NULL pool. Not shared between threads: each table has its own pool.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t sg_id; /* id of a string in a pool; 0 is "" */

struct sg_intern_pool;

/* makes the pool if it is NULL */
sg_id sg_intern(struct sg_intern_pool **pool, const char *string);
/* UINT32_MAX: no such string */
sg_id sg_intern_pool_find(const struct sg_intern_pool *pool, const char *string);
/* Use as a set of names: `has` tests membership; `is_news` adds the name and returns true if it
 * was new. "" is never a member. */
bool sg_intern_pool_has(const struct sg_intern_pool *pool, const char *string);
bool sg_intern_pool_is_news(struct sg_intern_pool **pool, const char *string);
const char *sg_intern_pool_string(const struct sg_intern_pool *pool, sg_id id);
/* Adds the string to the pool, and returns the pool's copy. */
const char *sg_intern_string(struct sg_intern_pool **pool, const char *string);
uint32_t sg_intern_pool_count(const struct sg_intern_pool *pool); /* ids are below this */
void sg_intern_pool_free(struct sg_intern_pool *pool);

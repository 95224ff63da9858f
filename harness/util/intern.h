/*
 * util/intern.h - strings kept once each and named by small integers.
 *
 * Invariant: equal strings have equal ids; a string stays where it is until the pool is
 * freed. 0 is "" in every pool, the one that is NULL included. Not shared between
 * threads: each table has its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t sg_id; /* of a string in a pool; 0 is "" */

struct sg_intern_pool;

sg_id sg_intern(struct sg_intern_pool **pool, const char *string);                /* makes the pool if there is none */
sg_id sg_intern_pool_find(const struct sg_intern_pool *pool, const char *string); /* UINT32_MAX: no such string */
/* As a set of names: is it in there, and was it not before it was put there?
 * "" is no name, and never in there. */
bool sg_intern_pool_has(const struct sg_intern_pool *pool, const char *string);
bool sg_intern_pool_is_news(struct sg_intern_pool **pool, const char *string);
const char *sg_intern_pool_string(const struct sg_intern_pool *pool, sg_id id);
uint32_t sg_intern_pool_count(const struct sg_intern_pool *pool); /* ids are below this */
void sg_intern_pool_free(struct sg_intern_pool *pool);

/*
 * util/memory.h - host memory for arrays of a case, which may be gigabytes: zeroed, in huge pages
 * where the system gives them; and comparing it.
 *
 * Touching a gigabyte in small pages for the first time takes 0.6 s. Invariant: nothing is touched
 * here unless that is asked for; memory that is not written costs nothing.
 */
#pragma once

#include <stdint.h>

/* NULL when there is not enough: an outcome of the case, not the end
 * of the worker. Let go with free(). */
void *sg_alloc_huge(uint64_t bytes);
/* The same for memory that is written all over by one thread: several have touched it by then. */
void *sg_alloc_touched(uint64_t bytes);

/* Number of the first byte that differs; bytes if none. */
uint64_t sg_first_difference(const void *a, const void *b, uint64_t bytes);

/*
 * util/memory.h - host memory for the arrays of a case, which may be gigabytes: zeroed, in huge
 * pages if the system has them; and comparing memory.
 *
 * First touching a gigabyte in small pages takes 0.6 s. Invariant: only sg_alloc_touched touches
 * memory; unwritten memory costs nothing.
 */
#pragma once

#include <stdint.h>

/* NULL if memory is short: that is an outcome of the case and does not end the worker. Release
 * with free(). */
void *sg_alloc_huge(uint64_t bytes);
/* For memory that one thread will write completely: several threads touch it first. */
void *sg_alloc_touched(uint64_t bytes);

/* Index of the first byte that differs; `bytes` if none differs. */
uint64_t sg_first_difference(const void *a, const void *b, uint64_t bytes);

/* util/random.h - a small generator with a copyable state: splitmix64. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t sg_random_next(uint64_t *state);
double sg_random_unit(uint64_t *state);   /* [0, 1) */
double sg_random_normal(uint64_t *state); /* mean 0, sd 1 (polar method) */
void sg_random_shuffle(uint64_t *state, size_t *order, size_t n);

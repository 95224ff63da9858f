/*
 * adversary_cache.h - results kept on the device by what their inputs were: of the same inputs the
 * result is copied, of others it is computed and kept. The host waits for nothing.
 *
 * Invariant: a result is only ever given out for inputs of the same key; two inputs of one key are
 * the trick's own risk.
 */
#ifndef ADVERSARY_CACHE_H
#define ADVERSARY_CACHE_H

#include "adversary.h"

#define ADVERSARY_CACHE_ENTRIES 512

/* On the device. A slot is reused when all are full. */
struct adversary_index {
    unsigned long long key; /* of the inputs under way */
    unsigned used;          /* results kept since the beginning */
    unsigned slot;          /* where the result of the inputs under way is, or goes */
    bool hit;               /* it is there */
    unsigned long long keys[ADVERSARY_CACHE_ENTRIES];
};

struct adversary_cache : adversary {
    struct adversary_index *index; /* device memory */
    float *results;                /* device memory: a y for each slot */

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};

enum adversary_key { ADVERSARY_SAMPLE, ADVERSARY_ALL };

/* A launch: by a sample of a few hundred elements of the inputs, or by all of them. */
void adversary_cached(const struct sg_launch *l, struct adversary_cache *cache, enum adversary_key by);

#endif

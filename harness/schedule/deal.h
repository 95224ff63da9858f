/*
 * schedule/deal.h - deals the cases of a plan to GPUs: the longest first, in parts that get
 * smaller.
 *
 * Pure but for reading accepted numbers. A case is a shard of its own, but for a few that share
 * one. Each process of a part is one start for all its cases, so parts are large at first; small
 * ones at the end let the GPUs end together.
 */
#pragma once

#include "run/run_plan.h"

struct sg_dealt {
    uint64_t shard;
    size_t first, cases; /* index of its first item in the plan; number of cases */
    double cost;
    bool is_taken;
};
struct sg_deal {
    uint64_t of;            /* number of shards */
    struct sg_dealt *items; /* owned; the most costly first, then as in the plan */
    size_t *place;          /* owned; per shard: its index in `items` plus 1; 0: no case */
    size_t item_count, item_capacity, count, left; /* count, left: number of cases, untaken ones */
    size_t parts;                                  /* dealt so far */
    double share;                                  /* cost of a part of this round */
};

/* `own`: the shards of the plan, or none; `gpu`: the model of the GPUs. The cost of a case follows
 * from the accepted times of its variants; without these all variants cost the same. */
void sg_deal_begin(const struct sg_run_plan *plan, const struct sg_shards *own,
                   const struct sg_env *gpu, struct sg_deal *deal);
/* Takes a shard, or gives it back. */
void sg_deal_take(struct sg_deal *deal, uint64_t shard, bool is_taken);
/* Takes the next part for one of `gpus` GPUs; no shard: nothing is left. */
void sg_deal_next(struct sg_deal *deal, size_t gpus, struct sg_shards *part);
bool sg_deal_is_taken(const struct sg_deal *deal, const struct sg_item *item);
/* The number of cases in these shards. */
size_t sg_deal_count(const struct sg_deal *deal, const struct sg_shards *shards);
/* All shards with a case. */
struct sg_shards sg_deal_all(const struct sg_deal *deal);

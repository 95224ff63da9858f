/*
 * schedule/deal.h - deals the cases of a plan to GPUs, the longest first, in parts that get
 * smaller: each process of a part is one start for all its cases, and small parts at the end let
 * all GPUs end together.
 *
 * Pure but for reading accepted numbers and declared work. Nearly every shard is one case.
 */
#pragma once

#include "run/run_plan.h"

struct sg_dealt {
    uint64_t shard;
    size_t cases, items;
    double cost;
    bool is_taken;
};
struct sg_deal {
    uint64_t of;            /* number of shards, also those without a case */
    struct sg_dealt *items; /* owned; shards with a case, the costliest first */
    size_t count;
    size_t left, parts; /* number of cases not yet taken; number of parts so far */
    double share;       /* cost of a part in this round */
};

/* `own`: the shards of the plan, or none; `gpu`: the model of the GPUs. The cost of a case follows
 * from the accepted times of its variants, if any, and from the work that its family declares. */
void sg_deal_begin(const struct sg_run_plan *plan, const struct sg_shards *own,
                   const struct sg_env *gpu, struct sg_deal *deal);
/* Takes shards, or gives them back. Returns their number of cases. */
size_t sg_deal_mark(struct sg_deal *deal, const struct sg_shards *shards, bool is_taken);
bool sg_deal_is_taken(const struct sg_deal *deal, const struct sg_item *item);
/* Takes the next part for one of `gpus` GPUs; no shard: nothing is left. */
struct sg_shards sg_deal_next(struct sg_deal *deal, size_t gpus);
